import { beforeAll, describe, expect, it } from '@jest/globals';
import { cliWithAccount } from '../support/cli.ts';

const { acme, json, lines } = cliWithAccount();

describe('beckon-server account audit-log', () => {
	const metrics = Array.from({ length: 205 }, (_, number) => `metric-${number}`);
	beforeAll(async () => {
		for (const key of metrics) await json('metric', 'create', '--key', key, ...acme);
	});

	it('lists all of it, however many pages it has, the newest first', async () => {
		const entries = await json('account', 'audit-log', ...acme);
		const created = entries.filter(({ event }: any) => event === 'metric_created');
		expect(created.map(({ subject }: any) => subject)).toEqual(metrics.toReversed());
		expect(created[0]).toMatchObject({ actor: 'command_line', at: expect.any(String) });
		const [head, first] = await lines('account', 'audit-log', ...acme);
		expect(head).toMatch(/^AT +EVENT +WHAT +ACTOR/);
		expect(first).toContain('metric-204');
	});
});

describe('beckon-server web-push-key replace', () => {
	it('makes the next start use another key', async () => {
		const key = async () => (await json('check', 'webpush')).public_key as string;
		const before = await key();
		expect(await key()).toBe(before);
		await json('web-push-key', 'replace');
		expect(await key()).not.toBe(before);
	});
});
