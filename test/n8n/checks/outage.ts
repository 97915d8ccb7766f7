import { setTimeout as pause } from 'node:timers/promises';

import type { Check } from './check.ts';
import { Gate } from '../support/gate.ts';
import { BECKON, chain, MANUAL_TRIGGER, node } from '../support/workflows.ts';

/** Milliseconds for which the server is away. */
const AWAY = 60_000;

const titles = ['First after the outage', 'Second after the outage'];

const PATIENT = {
	...chain('Sends while the server is away', [
		node('Begin', MANUAL_TRIGGER),
		node('Send', BECKON, { title: '={{ $json.title }}', options: { longestWait: 300 } }),
	]),
	pinData: { Begin: titles.map((title) => ({ json: { title } })) },
};

/** One outage of a line: the checks between its beginning and its end run meanwhile, and must not restart n8n. */
let outage: { gate: Gate; workflowId: string; id: string; since: number } | undefined;

export const checkOutageBegins: Check = (bench) => {
	it('a server goes away while items are sent to it', async () => {
		const { api, save, access } = bench();
		const gate = new Gate(access.baseUrl);
		await gate.open();
		await gate.close();
		const away = { ...access, baseUrl: gate.url };
		const credential = await api.createCredential('Away', 'beckonApi', away);
		const workflow = await save(PATIENT, credential);
		const id = await api.run(workflow, 'Begin');
		outage = { gate, workflowId: workflow.id, id, since: Date.now() };
	});
};

export const checkOutageEnds: Check = (bench) => {
	it('a minute later all of them arrive, each once and in their order', async () => {
		if (!outage) throw new Error('The outage has not begun');
		const { gate, workflowId, id, since } = outage;
		const { api, phone } = bench();
		await pause(Math.max(0, since + AWAY - Date.now()));
		// Of one that runs, n8n 2 has no data.
		const [running] = await api.executions(workflowId);
		expect(running).toMatchObject({ id, status: 'running' });
		await gate.open();
		try {
			const { status, error } = await api.ended(id);
			expect({ status, error: error?.message }).toEqual({ status: 'success', error: undefined });
			const arrived = (await phone.sent()).map((sent) =>
				sent.kind === 'push' ? sent.push.title : '',
			);
			expect(arrived.filter((title) => titles.includes(title))).toEqual(titles);
		} finally {
			await gate.close();
		}
	});
};
