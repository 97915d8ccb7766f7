import type { AuditEntry } from '../../src/contract/console/audit.ts';
import { PAIR_CODE_MINUTES } from '../../src/contract/values.ts';

const PAIR_CODE_MS = PAIR_CODE_MINUTES * 60_000;

/** One line per pairing: the line of a code is left out if the line of the phone that it paired follows. */
export function withoutUsedCodes(entries: readonly AuditEntry[]): AuditEntry[] {
	const codes = entries.filter(({ event }) => event === 'pair_code_created').reverse();
	const used = new Set<AuditEntry>();
	for (const { event, at, subject, actor_name: who } of entries.toReversed()) {
		const code = codes.find((one) => {
			const age = Date.parse(at) - Date.parse(one.at);
			const isOfSame = one.actor_name === who && subject?.endsWith(`(${one.subject})`);
			return !used.has(one) && isOfSame && age >= 0 && age <= PAIR_CODE_MS;
		});
		if (code && event === 'phone_paired') used.add(code);
	}
	return entries.filter((entry) => !used.has(entry));
}
