import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deviceHistory } from '../../src/contract/device.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the history of a phone', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer();
	});
	afterEach(() => server.close());

	const push = (title: string, more: object = {}) =>
		server.call('POST', '/push-notification', { title, ...more });
	const progress = (percentage: number, more: object = {}) =>
		server.call('PUT', '/live-activity/stream/backup', {
			content_state: { type: 'progress', title: 'Backup', percentage, ...more },
		});
	const history = async (query = '') => {
		const { status, body } = await server.phone.call('GET', `/history${query}`);
		expect(status).toBe(200);
		expect(deviceHistory.parse(body)).toEqual(body);
		return body as any;
	};
	const titles = ({ deliveries }: any) =>
		deliveries.map(({ push: content, activity }: any) =>
			content ? content.title : activity.content_state.title,
		);
	const found = async (words: string) =>
		titles(await history(`?search=${encodeURIComponent(words)}`));

	it('holds pushes, dismissed ones too, newest first, and no badges', async () => {
		await push('first');
		await server.call('POST', '/badge', { badge: 7 });
		await push('second');
		const [entry] = (await history()).deliveries;
		await server.phone.call('POST', '/dismissals', { delivery_id: entry.id });
		expect(titles(await history())).toEqual(['second', 'first']);
	});

	it('holds a Live Activity once, by its newest state', async () => {
		await progress(1);
		await progress(50);
		await push('between');
		await progress(99);
		const { deliveries } = await history();
		expect(deliveries).toMatchObject([
			{ kind: 'activity_update', activity: { content_state: { percentage: 99 } } },
			{ kind: 'push' },
		]);
	});

	it('is read in pages', async () => {
		for (let index = 0; index < 5; index += 1) await push(`${index}`);
		const pages: string[][] = [];
		let query = '?limit=2';
		for (;;) {
			const page = await history(query);
			pages.push(titles(page));
			if (page.before === null) break;
			query = `?limit=2&before=${page.before}`;
		}
		expect(pages).toEqual([['4', '3'], ['2', '1'], ['0']]);
	});

	it('is searched by words, all of which occur in what was shown or in its tags', async () => {
		await push('New order', { message: 'Two Sourdough, 100 % rye', tags: ['shop', 'order:7'] });
		await push('Build failed', { subtitle: 'main_branch', payload: { hidden: 'sourdough' } });
		await progress(12, { subtitle: 'photos to the archive' });
		expect(await found('sourdough')).toEqual(['New order']);
		expect(await found('  order   RYE ')).toEqual(['New order']);
		expect(await found('order:7')).toEqual(['New order']);
		expect(await found('main_branch')).toEqual(['Build failed']);
		expect(await found('archive')).toEqual(['Backup']);
		expect(await found('%')).toEqual(['New order']);
		expect(await found('mainXbranch')).toEqual([]);
		expect(await found('order failed')).toEqual([]);
		expect(await found('')).toHaveLength(3);
	});

	it('is filtered by channel, tag and level', async () => {
		await server.addChannel('ops', { users: ['owner'] });
		await server.addChannel('ops_2', { users: ['owner'] });
		await push('To all', { tags: ['shop'], interruption_level: 'critical' });
		await push('To ops', { target: { channels: ['ops'] }, tags: ['shop'] });
		await push('To both', { target: { channels: ['ops', 'ops_2'] }, tags: ['shopping'] });
		const by = async (query: string) => titles(await history(`?${query}`));
		expect(await by('channel=ops')).toEqual(['To both', 'To ops']);
		expect(await by('channel=ops_2')).toEqual(['To both']);
		expect(await by('tag_part=shopp')).toEqual(['To both']);
		expect(await by('tag_part=hop')).toEqual(['To both', 'To ops', 'To all']);
		expect(await by('level=critical')).toEqual(['To all']);
		expect(await by('channel=ops&tag_part=shop&level=active')).toEqual(['To both', 'To ops']);
		expect(await by('level=passive')).toEqual([]);
	});

	it('holds nothing of other phones', async () => {
		const other = await server.pairPhone();
		await server.addChannel('hers', { devices: [other.id] });
		await push('for her', { target: { channels: ['hers'] } });
		expect(titles(await history())).toEqual([]);
	});

	it.each([
		'?limit=0',
		'?limit=101',
		'?before=0',
		'?before=x',
		`?search=${'x'.repeat(201)}`,
		'?page=2',
		'?channel=No',
		'?tag=No tag',
		'?level=loud',
	])('refuses %s and says why', async (query) => {
		const { status, body } = await server.phone.call('GET', `/history${query}`);
		expect(status).toBe(400);
		expect(body['message']).toMatch(/limit|before|search|page|channel|tag|level/);
	});
});
