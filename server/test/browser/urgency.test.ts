import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { type Bench, openBench } from './support/bench.ts';
import { eventually } from './support/browser.ts';
import { createMetrics, METRICS } from './support/examples.ts';
import type { PhonePage } from './support/phone-page.ts';
import type { Api } from './support/server.ts';

const CHOICES = [{ id: 'yes', title: 'Approve' }];
const PORTRAIT = { width: 390, height: 844 };

describe('the lock screen of a phone', () => {
	let bench: Bench;
	let phone: PhonePage;
	let api: Api;

	beforeAll(async () => {
		bench = await openBench('Bakery', { viewport: PORTRAIT });
		({ phone, api } = bench);
		await createMetrics(bench, METRICS);
		await bench.pair();
		await phone.page.getByRole('button', { name: 'Not now' }).click();
		for (const { key, value } of METRICS) await api.metric(key, value);
		await phone.widget('orders').waitFor();
	});
	beforeEach(() => phone.page.setViewportSize(PORTRAIT));
	afterAll(() => bench?.close());

	const button = (name: string | RegExp) => phone.page.getByRole('button', { name, exact: true });
	const top = async (card: Locator) => (await card.boundingBox())!.y;
	const section = (name: string, title: string) =>
		phone.page.getByRole('region', { name, exact: true }).getByRole('article', { name: title });
	const scroller = () => phone.page.locator('.scroller');

	describe('is in the order of urgency', () => {
		it('with a critical message open and on top, although passive ones came later', async () => {
			await api.push({
				title: 'Server room 41 °C',
				message: 'Cooling has stopped.',
				interruption_level: 'critical',
			});
			await api.stream('oven', { type: 'alert', title: 'Oven', message: '180 °C' });
			await api.push({ title: 'Disk 80 %', interruption_level: 'time-sensitive' });
			for (const title of ['Newsletter', 'Build 812'])
				await api.push({ title, interruption_level: 'passive' });
			await api.ask({ title: 'Deploy?', choices: CHOICES });
			await phone.notification('Deploy?').waitFor();
			await phone.notification('Build 812').waitFor();
			await phone.rest();
			const tops = [];
			for (const title of ['Deploy?', 'Server room 41 °C', 'Disk 80 %'])
				tops.push(await top(phone.notification(title)));
			tops.push(await top(phone.activity('Oven')), await top(phone.notification('Build 812')));
			expect(tops).toEqual(tops.toSorted((a, b) => a - b));
			expect(await phone.notification('Server room 41 °C').innerText()).toContain('Cooling');
			await phone.fitsEverywhere('urgent');
		});

		it('until the critical one is seen, and used no more', async () => {
			await button('Collapse notification: Server room 41 °C').click();
			await section('Urgent', 'Server room 41 °C').waitFor();
			await button('Expand notification: Build 812').click();
			await section('Urgent', 'Server room 41 °C').waitFor({ state: 'detached' });
			await phone.page.reload();
			await phone.live();
			await section('Urgent', 'Disk 80 %').waitFor();
			expect(await section('Urgent', 'Server room 41 °C').count()).toBe(0);
		});

		it('with levels in the history', async () => {
			await button('History').click();
			const entry = phone.page.locator('.history-entry').filter({ hasText: 'Server room' });
			await entry.getByText('Critical').waitFor();
			await phone.fitsEverywhere('levels');
			await button('Back').click();
		});
	});

	describe('has questions that ended on one line below what lives', () => {
		const ended = () => phone.page.getByRole('region', { name: 'Ended questions' });

		it('with the others on request', async () => {
			const ids = [];
			for (const title of ['Old?', 'Older?', 'Oldest?'])
				ids.push((await api.ask({ title, choices: CHOICES })).question_id);
			for (const id of ids.toReversed()) await api.withdraw(id);
			await button('2 more ended').waitFor();
			const line = ended().getByRole('article');
			await eventually(async () => expect(await line.count()).toBe(1));
			await phone.rest();
			expect((await line.boundingBox())!.height).toBeLessThan(60);
			expect(await line.innerText()).toMatch(/Old\?[\s\S]*Withdrawn, /);
			expect(await top(line)).toBeGreaterThan(await top(phone.notification('Build 812')));
			await button('2 more ended').click();
			await eventually(async () => expect(await line.count()).toBe(3));
			await phone.fitsEverywhere('ended');
		});

		it('which Clear all takes, but not the open one', async () => {
			await button('Clear all notifications').click();
			await ended().waitFor({ state: 'detached' });
			await phone.page.reload();
			await phone.live();
			await phone.notification('Deploy?').waitFor();
			expect(await ended().count()).toBe(0);
		});
	});

	describe('has metrics in one strip', () => {
		it('with the first message in sight, upright and on its side', async () => {
			await api.endStream('oven', { auto_dismiss_minutes: 0 });
			await api.push({ title: 'Fresh bread', interruption_level: 'time-sensitive' });
			await phone.notification('Fresh bread').waitFor();
			for (const viewport of [PORTRAIT, { width: 844, height: 390 }]) {
				await phone.page.setViewportSize(viewport);
				await phone.rest();
				const tops = await phone.page
					.locator('.widget-strip > *')
					.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
				expect(new Set(tops).size).toBe(1);
				const card = (await phone.notification('Deploy?').boundingBox())!;
				const [title] = await phone.notification('Deploy?').locator('.notification-title').all();
				const words = (await title!.boundingBox())!;
				expect(words.y + words.height).toBeLessThan(await top(phone.page.locator('.dock')));
				expect(card.y).toBeGreaterThan(0);
				await phone.screenshots(`strip-${viewport.width}`);
			}
		});

		it('of which a tap makes one larger, with all of its digits and how it went', async () => {
			await api.metric('orders', 1_234_567.891);
			await eventually(async () =>
				expect(await phone.widget('orders').innerText()).toMatch(/1\.2m/i),
			);
			await phone.widget('orders').locator('polyline').waitFor();
			await phone.widget('orders').click();
			const large = phone.page.locator('.widget-large');
			expect(await large.innerText()).toMatch(/1,234,567\.891[\s\S]*318 to 1,234,567\.891/);
			expect(await large.locator('polyline').count()).toBe(1);
			await phone.fitsEverywhere('widget');
			await phone.page.reload();
			await phone.live();
			await phone.widget('orders').locator('polyline').waitFor();
		});
	});

	describe('does not jump where a browser does not anchor what is read', () => {
		it('when something comes above it', async () => {
			for (let n = 1; n <= 12; n += 1) await api.push({ title: `Loaf ${n}` });
			await button(/^Show \d+ more/).click();
			await phone.notification('Loaf 1').waitFor();
			expect(await scroller().evaluate((node) => getComputedStyle(node).overflowAnchor)).toBe(
				'none',
			);
			await scroller().evaluate((node) => node.scrollTo({ top: 500 }));
			await phone.rest();
			const read = phone.page.locator('.notifications .card').nth(5);
			const [name, before] = [await read.getAttribute('data-flip'), await top(read)];
			await api.push({ title: 'Pushes in' });
			await api.ask({ title: 'And asks?', choices: CHOICES });
			await phone.notification('Pushes in').waitFor();
			await phone.notification('And asks?').waitFor();
			await phone.rest();
			expect(await top(phone.page.locator(`[data-flip="${name}"]`))).toBeCloseTo(before, 0);
		});
	});

	it('raised no error', () => {
		expect(bench.opened.complaints).toEqual([]);
	});
});
