import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { eventually } from './support/browser.ts';
import { createMetrics, METRICS } from './support/examples.ts';
import { type PhonePage, WIDTHS } from './support/phone-page.ts';
import type { Api } from './support/server.ts';

/** What a phone shows less often, each at every width. */
describe('the phone page', () => {
	let bench: Bench;
	let phone: PhonePage;
	let api: Api;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		({ phone, api } = bench);
		await createMetrics(bench, METRICS);
		const channel = (...words: string[]) =>
			bench.server.command('channel', ...words, '--account', 'Bakery');
		await channel('create', '--slug', 'ops', '--name', 'Operations');
		await channel('assign', '--channel', 'ops', '--users', 'owner');
		await bench.pair();
		for (const { key, value } of METRICS) await api.metric(key, value);
		await phone.widget('orders').waitFor();
	});
	beforeEach(async () => {
		await phone.page.setViewportSize({ width: 1180, height: 940 });
	});
	afterAll(() => bench?.close());

	const button = (name: string) => phone.page.getByRole('button', { name, exact: true });

	it('says why notifications were not allowed, at every width', async () => {
		await button('Allow notifications').click();
		await phone.page.getByText(/^Not turned on: /).waitFor();
		await phone.fitsEverywhere('not-allowed');
		await button('OK').click();
	});

	describe('lets the texts of Live Activities', () => {
		beforeAll(async () => {
			await api.stream('parcel', {
				type: 'value',
				title: 'Parcel, code 4821',
				subtitle: 'Track it at https://example.com/parcels/7',
				value: 'DHL8-8124-4710',
			});
			await api.stream('stand', {
				type: 'stats',
				title: 'Stand-by',
				metrics: [{ label: 'On call', value: 'Ada, +49 30 1234567' }],
			});
			await phone.activity('Stand-by').waitFor();
		});
		const parcel = () => phone.page.locator('.activity').filter({ hasText: 'Parcel' });

		it('be opened', async () => {
			const hrefs = await phone.page
				.locator('.activity')
				.getByRole('link')
				.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
			expect(hrefs.sort()).toEqual(['https://example.com/parcels/7', 'tel:+49301234567']);
		});

		it('be copied', async () => {
			const { context } = bench.opened;
			const origin = bench.server.url;
			await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
			for (const code of ['4821', 'DHL8-8124-4710']) {
				await parcel()
					.getByRole('button', { name: `Copy ${code}` })
					.click();
				await eventually(async () =>
					expect(await phone.page.evaluate(() => navigator.clipboard.readText())).toBe(code),
				);
			}
		});

		it('be selected with a mouse, which does not swipe the card away', async () => {
			const box = (await parcel().locator('.activity-subtitle-text').boundingBox())!;
			await phone.page.mouse.move(box.x + box.width - 4, box.y + box.height - 6);
			await phone.page.mouse.down();
			await phone.page.mouse.move(box.x + 1, box.y + 6, { steps: 8 });
			await phone.page.mouse.up();
			expect(await phone.page.evaluate(() => String(getSelection()))).toContain('Track it');
			expect(await parcel().count()).toBe(1);
			await phone.page.evaluate(() => getSelection()?.empty());
		});

		it('at every width', () => phone.fitsEverywhere('activity-texts'));
	});

	describe('has a level for each channel', () => {
		const level = () => phone.page.locator('.beside').getByLabel('Notify about Operations');
		const choose = async (value: string) => {
			const answer = phone.page.waitForResponse('**/device/quiet');
			await level().selectOption(value);
			expect((await answer).status()).toBe(200);
		};

		it('below which its messages come silently', async () => {
			await choose('time-sensitive');
			await api.push({ title: 'Low', target: { channels: ['ops'] } });
			await phone.notification('Low').getByText('Held back').waitFor();
			await api.push({
				title: 'High',
				target: { channels: ['ops'] },
				interruption_level: 'time-sensitive',
			});
			await phone.notification('High').waitFor();
			await api.push({ title: 'To all' });
			await phone.notification('To all').waitFor();
			for (const title of ['High', 'To all'])
				expect(await phone.notification(title).getByText('Held back').count()).toBe(0);
		});

		it('which the server keeps, until it is as for all', async () => {
			await phone.page.reload();
			await phone.live();
			await eventually(async () => expect(await level().inputValue()).toBe('time-sensitive'));
			await choose('');
			await api.push({ title: 'As for all', target: { channels: ['ops'] } });
			await phone.notification('As for all').waitFor();
			expect(await phone.notification('As for all').getByText('Held back').count()).toBe(0);
		});

		it('among the settings, at every width', async () => {
			await phone.page.setViewportSize({ width: 390, height: 844 });
			await button('Settings').click();
			await phone.page.getByRole('dialog').getByLabel('Notify about Operations').waitFor();
			await phone.fitsEverywhere('settings');
			await phone.page.keyboard.press('Escape');
		});
	});

	it('has a line for each of thirty channels, by name and number, and a search', async () => {
		await bench.server.write(async (db) => {
			const one = db.selectFrom('users').select(['id', 'account_id']);
			const { id: user_id, account_id } = await one.executeTakeFirstOrThrow();
			const channels = Array.from({ length: 30 }, (_, n) => ({
				id: `channel-${n}`,
				slug: `team-${n}`,
				name: `Team ${n}`,
				created_at: 0,
				account_id,
			}));
			await db.insertInto('channels').values(channels).execute();
			const users = channels.map(({ id }) => ({ channel_id: id, user_id }));
			await db.insertInto('channel_users').values(users).execute();
		});
		await phone.page.reload();
		await phone.live();
		const lines = phone.page.locator('.beside .channel');
		await eventually(async () => expect(await lines.count()).toBe(31));
		expect((await lines.getByRole('switch').allInnerTexts()).map((text) => text.trim())).toEqual([
			'Operations',
			...Array.from({ length: 30 }, (_, n) => `Team ${n}`),
		]);
		const heights = await lines.evaluateAll((all) =>
			all.map((line) => line.getBoundingClientRect().height),
		);
		expect(Math.max(...heights)).toBeLessThan(60);
		await phone.page.locator('.beside').getByLabel('Search channels').fill('team 2');
		await eventually(async () => expect(await lines.count()).toBe(11));
	});

	describe('without a network', () => {
		const titles = () => phone.page.locator('.history-title').allInnerTexts();
		const search = (words: string) => phone.page.getByLabel('Search', { exact: true }).fill(words);

		// The browser complains about each failed request.
		afterAll(() => void (bench.opened.complaints.length = 0));

		it('has the newest entries of the history, also after a reload, and says of when', async () => {
			await api.push({ title: 'Rye bread', tags: ['bakery'], target: { channels: ['ops'] } });
			await phone.notification('Rye bread').waitFor();
			await button('History').click();
			await eventually(async () => expect((await titles())[0]).toBe('Rye bread'));
			await phone.kept('history', (json) => json.includes('Rye bread'));
			await phone.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
			await bench.opened.context.setOffline(true);
			await phone.page.reload();
			await button('History').click();
			await phone.page.getByText(/^Could not reach the server\..* Shown are the newest/).waitFor();
			expect((await titles())[0]).toBe('Rye bread');
		});

		it('searches and filters them', async () => {
			await search('BREAD');
			await eventually(async () => expect(await titles()).toEqual(['Rye bread']));
			await search('');
			await phone.page.getByLabel('Tag', { exact: true }).fill('bake');
			await eventually(async () => expect(await titles()).toEqual(['Rye bread']));
			await phone.page.getByLabel('Tag', { exact: true }).fill('');
			await phone.page.getByRole('combobox', { name: 'Level' }).selectOption('time-sensitive');
			await eventually(async () => expect(await titles()).toEqual(['High']));
			await phone.page.getByRole('combobox', { name: 'Level' }).selectOption('');
		});

		it('shows them at every width', () => phone.fitsEverywhere('history-offline'));

		it('shows all of them again once there is one', async () => {
			await bench.opened.context.setOffline(false);
			await phone.page.keyboard.press('Escape');
			await phone.live();
			await button('History').click();
			await eventually(async () => expect(await titles()).toContain('Rye bread'));
			expect(await phone.page.getByText('Could not reach the server.').count()).toBe(0);
			await phone.fitsEverywhere('history');
			await phone.page.keyboard.press('Escape');
		});
	});

	it('asks the server for nothing twice when it is opened', async () => {
		// The history, which has just been left, asks for the channels.
		await phone.rest();
		const asked: string[] = [];
		phone.page.on('request', (request) => {
			const { pathname } = new URL(request.url());
			if (request.method() === 'GET' && pathname.startsWith('/device/')) asked.push(pathname);
		});
		await phone.page.reload();
		await phone.live();
		await phone.rest();
		phone.page.removeAllListeners('request');
		expect(asked.sort()).toEqual([
			'/device/channels',
			'/device/events',
			'/device/quiet',
			'/device/snapshot',
		]);
	});

	it('has all metrics, at every width', async () => {
		await button('All metrics').click();
		await phone.fitsEverywhere('all-metrics');
		await phone.page.keyboard.press('Escape');
	});

	it('offers to undo, at every width', async () => {
		for (const width of WIDTHS) {
			await phone.page.setViewportSize({ width, height: 844 });
			await api.push({ title: `At ${width}` });
			await phone.notification(`At ${width}`).waitFor();
			await button(`Dismiss notification: At ${width}`).focus();
			await phone.page.keyboard.press('Enter');
			await button('Undo').waitFor();
			expect({ width, findings: await phone.findings() }).toEqual({ width, findings: [] });
			await button('Undo').click();
			await phone.notification(`At ${width}`).waitFor();
		}
	});

	it('asks, and shows the answer, at every width', async () => {
		await api.ask({
			title: 'Release 4.2?',
			choices: [
				{ id: 'yes', title: 'Approve' },
				{ id: 'no', title: 'Decline' },
			],
			text: { placeholder: 'Or say why not' },
		});
		await button('Approve: Release 4.2?').waitFor();
		await phone.fitsEverywhere('question');
		await button('Approve: Release 4.2?').click();
		await phone.page.getByText(/^Approved by owner, /).waitFor();
		await phone.fitsEverywhere('question-answered');
	});

	it('pairs, at every width', async () => {
		const { page } = phone;
		await page.evaluate(() => localStorage.clear());
		await page.reload();
		await page.getByLabel('Pairing code').waitFor();
		await phone.fitsEverywhere('pairing');
	});

	it('broke no rule of the content security policy, and raised no error', () => {
		expect(bench.opened.complaints).toEqual([]);
	});
});
