import { describe, expect, it } from '@jest/globals';
import { cliWithAccount } from '../support/cli.ts';

describe('the verbs metric and history', () => {
	const { acme, lines, json } = cliWithAccount();

	it('metric create and metric list show the metrics', async () => {
		const load = {
			key: 'cpu.load',
			name: 'CPU load',
			format: 'percent',
			unit: null,
			value: null,
			measured_at: null,
		};
		expect(
			await json(
				'metric',
				'create',
				...acme,
				'--key',
				'cpu.load',
				'--name',
				'CPU load',
				'--format',
				'percent',
			),
		).toEqual(load);
		expect(
			await lines(
				'metric',
				'create',
				...acme,
				'--key',
				'mrr',
				'--format',
				'currency',
				'--unit',
				'EUR',
			),
		).toEqual(['Metric mrr.']);
		expect(await json('metric', 'list', ...acme)).toEqual([
			load,
			{ ...load, key: 'mrr', name: 'mrr', format: 'currency', unit: 'EUR' },
		]);
		expect(await json('metric', 'remove', ...acme, '--key', 'mrr')).toEqual({ removed: 'mrr' });
		expect(await json('metric', 'list', ...acme)).toEqual([load]);
		expect((await lines('metric', 'list', ...acme))[1]).toMatch(
			/^cpu\.load +CPU load +percent +never$/,
		);
	});

	it('history list is empty where nothing was sent', async () => {
		expect(await json('history', 'list', ...acme, '--tags', 'a,b', '--limit', '5')).toEqual([]);
		expect(await lines('history', 'list', ...acme)).toEqual([
			'ID  WHEN  KIND  TITLE  TAGS  ENDED  PHONES  REASON',
		]);
	});
});
