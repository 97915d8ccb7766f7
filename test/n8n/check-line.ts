import { checkApproval } from './checks/approval.ts';
import type { Check } from './checks/check.ts';
import { checkContainers } from './checks/containers.ts';
import { checkCredential } from './checks/credential.ts';
import { checkEditor } from './checks/editor.ts';
import { checkExamples } from './checks/examples.ts';
import { checkPacing } from './checks/pacing.ts';
import { checkItems } from './checks/items.ts';
import { checkOutageBegins, checkOutageEnds } from './checks/outage.ts';
import { checkPackage } from './checks/package.ts';
import { checkPickers } from './checks/pickers.ts';
import { checkTrigger } from './checks/trigger.ts';
import { openBench, type Bench } from './support/bench.ts';
import type { Line } from './support/lines.ts';

/** All checks run in each line of n8n, in this order. A new feature adds its check here. */
const CHECKS: Check[] = [
	checkPackage,
	checkCredential,
	checkExamples,
	checkApproval,
	checkItems,
	checkTrigger,
	checkOutageBegins,
	checkPacing,
	checkEditor,
	checkContainers,
	checkPickers,
	checkOutageEnds,
];

/** Declares all checks for one line of n8n, which starts once for all of them. */
export function checkLine(line: Line): void {
	describe(line.name, () => {
		let bench: Bench | undefined;

		beforeAll(async () => {
			bench = await openBench(line);
		});

		afterAll(async () => {
			await bench?.close();
		});

		for (const check of CHECKS) {
			check(() => {
				if (!bench) throw new Error(`${line.name} is not running`);
				return bench;
			}, line);
		}
	});
}
