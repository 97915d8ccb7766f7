import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { type Bench, openBench } from './support/bench.ts';
import { eventually } from './support/browser.ts';
import { createMetrics, METRICS } from './support/examples.ts';
import { type PhonePage, WIDTHS } from './support/phone-page.ts';
import { type Api, apiOf } from './support/server.ts';

describe('the cards of the phone page', () => {
	let bench: Bench;
	let phone: PhonePage;
	let api: Api;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		({ phone, api } = bench);
		await createMetrics(bench, METRICS);
		await bench.pair();
		for (const { key, value } of METRICS) await api.metric(key, value);
		await phone.widget('orders').waitFor();
	});
	beforeEach(async () => {
		await phone.page.setViewportSize({ width: 1180, height: 940 });
	});
	afterAll(() => bench?.close());

	const topOf = async (card: Locator) => (await card.boundingBox())!.y;
	const dismiss = async (title: string, what = 'notification') => {
		const button = phone.page.getByRole('button', { name: `Dismiss ${what}: ${title}` });
		await button.focus();
		await phone.page.keyboard.press('Enter');
	};
	const shown = (title: string) => phone.page.getByRole('article', { name: title, exact: true });

	it('load the rest of a long message when they are opened, and take answers once it is there', async () => {
		const message = `${'word '.repeat(3_000)}the end`;
		await api.ask({ title: 'Long?', message, choices: [{ id: 'yes', title: 'Yes' }] });
		await shown('Long?').getByText('the end').waitFor();
		await phone.tap(shown('Long?').getByRole('button', { name: 'Yes' }));
		await api.push({ title: 'Report', message });
		await phone.page.context().route('**/device/deliveries/**', (route) => route.abort());
		await phone.page.getByRole('button', { name: 'Expand notification: Report' }).click();
		await shown('Report').getByRole('button', { name: 'Load the rest' }).waitFor();
		await phone.page.context().unroute('**/device/deliveries/**');
		await shown('Report').getByRole('button', { name: 'Load the rest' }).click();
		await shown('Report').getByText('the end').waitFor();
		for (const title of ['Report', 'Long?']) {
			await dismiss(title);
			await shown(title).waitFor({ state: 'detached' });
		}
	});

	describe('show numbers as they are', () => {
		const metrics = [
			{ label: 'Errors', value: 0.02, unit: '%' },
			{ label: 'Uptime', value: 99.95, unit: '%' },
			{ label: 'Disk', value: 100, unit: '%' },
			{ label: 'Requests', value: 12_345, unit: 'requests per second' },
			{ label: 'Oven', value: 231.5, unit: '°C' },
			{ label: 'State', value: 'waiting for the second oven' },
		];

		it('in gauges, units on their own line, and nothing below 13 px', async () => {
			await api.stream('truth', { type: 'metrics', title: 'Truth', metrics });
			await api.stream('almost', {
				type: 'progress',
				title: 'Almost',
				value: 99.7,
				upper_limit: 100,
			});
			const card = phone.activity('Truth');
			await card.waitFor();
			const rings = await card.locator('.ring-value').allInnerTexts();
			expect(rings.map((text) => text.replace('\n', ' '))).toEqual(['0.02 %', '99.95 %', '100 %']);
			const almost = await phone.activity('Almost').innerText();
			expect(almost).toContain('99.7%');
			expect(almost).toContain('99.7 of 100');
			const bar = phone.activity('Almost').getByRole('progressbar');
			expect(await bar.getAttribute('aria-valuetext')).toBe('99.7%');
			const sizes = await card.evaluate((node) =>
				[...node.querySelectorAll('*')]
					.filter(({ childNodes }) => [...childNodes].some((child) => child.nodeType === 3))
					.map((element) => Number.parseFloat(getComputedStyle(element).fontSize)),
			);
			expect(Math.min(...sizes)).toBeGreaterThanOrEqual(13);
			const labels = await card
				.locator('.metric-entry dt')
				.evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().top));
			const units = await card
				.locator('.figure-unit')
				.evaluateAll((units) => units.map((unit) => unit.getBoundingClientRect().top));
			const lines = (tops: number[]) => new Set(tops.map(Math.round)).size;
			expect(lines(units)).toBeLessThanOrEqual(lines(labels));
		});

		it('four of them in one row, or two by two', async () => {
			const values = ['12:30', 1_250, '99.95 %', 'waiting for it'];
			for (const value of values) {
				const four = [1, 2, 3, 4].map((n) => ({ label: `Label ${n}`, value }));
				await api.stream('four', { type: 'stats', title: 'Four', metrics: four });
				const figures = phone.activity('Four').locator('.figure');
				await eventually(async () =>
					expect(await figures.allInnerTexts()).toEqual(Array(4).fill(value.toLocaleString())),
				);
				for (const width of WIDTHS) {
					await phone.page.setViewportSize({ width, height: 844 });
					const tops = await figures.evaluateAll((all) =>
						all.map((one) => Math.round(one.getBoundingClientRect().top)),
					);
					const rows = tops.map((top) => tops.filter((other) => other === top).length);
					expect([
						[4, 4, 4, 4],
						[2, 2, 2, 2],
						[1, 1, 1, 1],
					]).toContainEqual(rows);
				}
			}
			await api.endStream('four', { auto_dismiss_minutes: 0 });
			await eventually(async () => expect(await phone.activity('Four').count()).toBe(0));
		});

		it('at every width', () => phone.fitsEverywhere('numbers'));
	});

	describe('are in the order of their importance', () => {
		it('with Live Activities before notifications, and a smaller clock', async () => {
			await api.push({ title: 'Order 1' });
			await shown('Order 1').waitFor();
			expect(await topOf(phone.activity('Truth'))).toBeLessThan(await topOf(shown('Order 1')));
			const clock = await phone.page.locator('.clock').boundingBox();
			expect(clock!.height).toBeLessThan(80);
		});

		it('with a whole Live Activity in sight on a phone', async () => {
			await api.endStream('truth', { auto_dismiss_minutes: 0 });
			await eventually(async () => expect(await phone.activity('Truth').count()).toBe(0));
			await phone.page.setViewportSize({ width: 390, height: 844 });
			const box = (await phone.activity('Almost').boundingBox())!;
			const dock = (await phone.page.locator('.dock').boundingBox())!;
			expect(box.y + box.height).toBeLessThan(dock.y);
		});

		it('side by side on a wide screen, without a frame', async () => {
			await phone.page.setViewportSize({ width: 1440, height: 900 });
			await phone.rest();
			const [activity, push] = [
				(await phone.activity('Almost').boundingBox())!,
				(await shown('Order 1').boundingBox())!,
			];
			expect(activity.x + activity.width).toBeLessThanOrEqual(push.x);
			expect(Math.round(activity.y)).toBe(Math.round(push.y));
		});
	});

	describe('offer notifications', () => {
		it('and say why they could not be allowed, and what to do', async () => {
			await phone.page.getByRole('button', { name: 'Allow notifications' }).click();
			await phone.page.getByText(/^Not turned on: .* Allow them in the browser/).waitFor();
			expect(await phone.findings()).toEqual([]);
			await phone.page.getByRole('button', { name: 'OK', exact: true }).click();
			await phone.page.getByText(/^Not turned on/).waitFor({ state: 'detached' });
		});
	});

	describe('have text', () => {
		const MESSAGE =
			'Call +49 30 1234567 or see https://example.com/help (code 4821).\nWrite to ada@example.com; *nothing* else is <b>changed</b>.';

		it('with links, phone numbers and codes, and every other character as it was sent', async () => {
			await api.push({ title: 'Your parcel', message: MESSAGE });
			await shown('Your parcel').waitFor();
			await phone.expand('Your parcel');
			const card = shown('Your parcel');
			expect(await card.locator('.notification-message').innerText()).toBe(MESSAGE);
			const hrefs = await card
				.getByRole('link')
				.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
			expect(hrefs).toEqual([
				'tel:+49301234567',
				'https://example.com/help',
				'mailto:ada@example.com',
			]);
			const link = card.getByRole('link', { name: 'https://example.com/help' });
			expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
		});

		it('to copy: a code by a tap, or all of it', async () => {
			const { context } = bench.opened;
			const origin = bench.server.url;
			await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
			const copied = () => phone.page.evaluate(() => navigator.clipboard.readText());
			const card = shown('Your parcel');
			// It says so for two seconds, in which a busy machine may not look.
			await eventually(async () => {
				await card.getByRole('button', { name: 'Copy 4821' }).click();
				await card.getByText('Copied').waitFor({ timeout: 1_000 });
			});
			expect(await copied()).toBe('4821');
			await card.getByRole('button', { name: 'Copy text' }).click();
			await eventually(async () => expect(await copied()).toBe(`Your parcel\n${MESSAGE}`));
		});

		it('to select with a mouse, which does not swipe the card away', async () => {
			const box = (await shown('Your parcel').locator('.notification-message').boundingBox())!;
			await phone.page.mouse.move(box.x + 250, box.y + 8);
			await phone.page.mouse.down();
			await phone.page.mouse.move(box.x + 2, box.y + 10, { steps: 8 });
			await phone.page.mouse.up();
			const selected = await phone.page.evaluate(() => String(getSelection()));
			expect(selected).toContain('30 1234567');
			expect(await shown('Your parcel').count()).toBe(1);
		});

		it('that uses the width of the card', async () => {
			await phone.page.setViewportSize({ width: 390, height: 844 });
			const card = (await shown('Your parcel').boundingBox())!;
			const text = (await shown('Your parcel').locator('.notification-message').boundingBox())!;
			expect(text.width).toBeGreaterThan(card.width - 32);
		});

		it('at every width', () => phone.fitsEverywhere('text'));
	});

	describe('do not go by mistake', () => {
		it('but come back when a dismissal is undone, with what happened meanwhile', async () => {
			await dismiss('Your parcel');
			await phone.page.getByText('Notification dismissed').waitFor();
			await dismiss('Almost', 'activity');
			await phone.page.getByText('2 dismissals').waitFor();
			await api.stream('almost', { value: 99.9, upper_limit: 100 });
			await phone.page.getByRole('button', { name: 'Undo' }).click();
			await shown('Your parcel').waitFor();
			await eventually(async () =>
				expect(await phone.activity('Almost').innerText()).toContain('99.9%'),
			);
			await phone.page.reload();
			await phone.live();
			await shown('Your parcel').waitFor();
		});

		it('without findings of axe while that is offered', async () => {
			await dismiss('Order 1');
			await phone.page.getByText('Notification dismissed').waitFor();
			expect(await phone.findings()).toEqual([]);
		});

		it('or where the server cannot be reached', async () => {
			await bench.opened.context.setOffline(true);
			await dismiss('Your parcel');
			await phone.page.getByText('Not dismissed').waitFor();
			await shown('Your parcel').waitFor();
			await bench.opened.context.setOffline(false);
			await phone.live();
			bench.opened.complaints.length = 0;
		});

		it('and do not move under a finger', async () => {
			const card = shown('Your parcel');
			await phone.rest();
			const box = (await card.boundingBox())!;
			await phone.page.mouse.move(box.x + 200, box.y + 20);
			await phone.page.mouse.down();
			await api.push({ title: 'Pushes in' });
			await phone.page.waitForResponse('**/device/acknowledge');
			expect(await topOf(card)).toBe(box.y);
			expect(await shown('Pushes in').count()).toBe(0);
			await phone.page.mouse.up();
			await shown('Pushes in').waitFor();
		});
	});

	describe('are snoozed', () => {
		it('until a time that the person chooses, and that may be undone', async () => {
			await phone.expand('Pushes in');
			await phone.page.getByRole('button', { name: 'Snooze: Pushes in' }).click();
			await phone.fitsEverywhere('snooze');
			await phone.page.getByRole('button', { name: 'Tomorrow morning' }).click();
			await phone.page.getByText(/^Snoozed until .*7:00/).waitFor();
			await eventually(async () => expect(await shown('Pushes in').count()).toBe(0));
			await phone.page.getByRole('button', { name: 'Undo' }).click();
			await shown('Pushes in').waitFor();
		});
	});

	describe('may have Markdown', () => {
		let markdown: Api;
		beforeAll(async () => {
			const words = ['key', 'create', '--account', 'Bakery', '--name', 'writer', '--markdown'];
			const { key } = await bench.server.command<{ key: string }>(...words);
			markdown = apiOf(bench.server, key);
		});

		it('without HTML, and with the place that each link leads to', async () => {
			await markdown.push({
				title: 'Release notes',
				message:
					'**New**: [a.example/b](https://b.example/a.example/b), <b>bold</b>\n\n- one\n- two',
			});
			await shown('Release notes').waitFor();
			await phone.expand('Release notes');
			const text = shown('Release notes').locator('.markdown');
			await text.waitFor();
			expect(await text.locator('strong').allInnerTexts()).toEqual(['New']);
			expect(await text.getByRole('link').allInnerTexts()).toEqual(['a.example/b (b.example)']);
			expect(await text.innerText()).toContain('<b>bold</b>');
			expect(await text.locator('b').count()).toBe(0);
			expect(await text.getByRole('listitem').allInnerTexts()).toEqual(['one', 'two']);
			await phone.fitsEverywhere('markdown');
		});

		it.each([
			['quotes', '> '],
			['bullets', '- '],
			['numbers', '1. '],
		])('with %s within each other, up to a depth', async (title, mark) => {
			await markdown.push({ title, message: `${mark.repeat(4_000)}inside` });
			await shown(title).waitFor();
			await phone.expand(title);
			await shown(title).getByText('inside').waitFor();
			await dismiss(title);
			await shown(title).waitFor({ state: 'detached' });
			expect(await shown('Release notes').count()).toBe(1);
		});

		it('in the history, too', async () => {
			await phone.page.getByRole('button', { name: 'History', exact: true }).click();
			const entry = phone.page.locator('.history-entry').filter({ hasText: 'Release notes' });
			await entry.locator('.markdown strong').waitFor();
			await phone.page.getByRole('button', { name: 'Back' }).click();
		});
	});

	describe('are behind screens that Back closes', () => {
		it('the history, the metrics and the settings', async () => {
			await phone.page.setViewportSize({ width: 390, height: 844 });
			for (const [name, screen] of [
				['History', '.history'],
				['All metrics', '.history'],
				['Settings', 'dialog[open]'],
			] as const) {
				await phone.page.getByRole('button', { name, exact: true }).click();
				await phone.page.locator(screen).waitFor();
				await phone.page.goBack();
				await phone.page.locator(screen).waitFor({ state: 'detached' });
				expect(phone.page.url()).toBe(`${bench.server.url}/phone`);
			}
		});

		it('which leave nothing to go back through when they are closed otherwise', async () => {
			const length = () => phone.page.evaluate(() => history.state as unknown);
			await phone.page.getByRole('button', { name: 'History', exact: true }).click();
			await phone.page.getByRole('button', { name: 'Back' }).click();
			await eventually(async () => expect(await length()).toBeNull());
		});
	});

	describe('are grouped', () => {
		it('by channel with a count, once all are shown', async () => {
			const channel = (...words: string[]) =>
				bench.server.command('channel', ...words, '--account', 'Bakery');
			await channel('create', '--slug', 'orders', '--name', 'Orders');
			await channel('assign', '--channel', 'orders', '--users', 'owner');
			for (let n = 1; n <= 4; n += 1)
				await api.push({ title: `Loaf ${n}`, target: { channels: ['orders'] } });
			await phone.page.reload();
			await phone.live();
			await phone.page.getByRole('button', { name: /^Show \d+ more/ }).click();
			await phone.page.getByRole('heading', { name: 'Orders 4' }).waitFor();
			await phone.fitsEverywhere('channels');
		});
	});

	it('broke no rule of the content security policy, and raised no error', () => {
		expect(bench.opened.complaints).toEqual([]);
	});
});
