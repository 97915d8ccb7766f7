import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { COLORS } from '../../src/contract/values.ts';
import { type Bench, openBench } from './support/bench.ts';
import { eventually, type Visit, visit } from './support/browser.ts';
import { measureContrast } from './support/contrast.ts';
import {
	BREAD,
	createMetrics,
	DEPLOY,
	METRICS,
	SALES,
	SERVER,
	showcase,
} from './support/examples.ts';
import { PhonePage } from './support/phone-page.ts';

/** The phone page for people who see little, or nothing, or who type. */
describe('the phone page is readable', () => {
	let bench: Bench;
	/** The token of the phone with the showcase. */
	let token: string;
	let opened: Visit | undefined;

	beforeAll(async () => {
		bench = await openBench('Acme Bakery', { reducedMotion: 'reduce' });
		await createMetrics(bench, METRICS);
		await bench.pair();
		await showcase(bench.api);
		for (const { key, value } of METRICS) await bench.api.metric(key, value);
		await bench.api.push({
			title: 'Build 812 failed',
			interruption_level: 'critical',
			tags: ['ci'],
		});
		await bench.api.push({
			title: 'Release 4.2?',
			message: 'Tests are green.',
			actions: [{ title: 'Approve', type: 'webhook', url: bench.hooks.url('/final') }],
		});
		token = await bench.phone.page.evaluate(() => localStorage.getItem('beckon.device') ?? '');
	});

	afterEach(async () => {
		await opened?.context.close();
		opened = undefined;
	});

	afterAll(async () => {
		await bench.close();
	});

	/** Opens the showcase's phone in another window, by its token. */
	async function open(options: BrowserContextOptions = {}): Promise<PhonePage> {
		opened = await visit(bench.browser, { reducedMotion: 'reduce', ...options });
		const phone = new PhonePage(opened.page);
		await phone.page.goto(`${bench.server.url}/phone#token=${token}`);
		await phone.live();
		await phone.activity('Sourdough').waitFor();
		return phone;
	}

	/** Texts whose contrast is below 4.5 : 1, or 3 : 1 if they are large, everywhere on the lock screen. */
	async function tooFaint(phone: PhonePage): Promise<string[]> {
		const canvas = await opened!.context.newPage();
		const faint = new Set<string>();
		const scroller = phone.page.locator('.scroller');
		const height = await scroller.evaluate((node) => node.scrollHeight);
		const step = await scroller.evaluate((node) => node.clientHeight / 2);
		let measured = 0;
		for (let top = 0; top < height; top += step) {
			await scroller.evaluate((node, at) => (node.scrollTop = at), top);
			const all = await measureContrast(phone.page, canvas);
			measured += all.length;
			for (const { text, contrast, isLarge } of all)
				if (contrast < (isLarge ? 3 : 4.5)) faint.add(`${contrast}: ${text}`);
		}
		await canvas.close();
		expect(measured).toBeGreaterThan(10);
		return [...faint];
	}

	const WINDOWS: Array<[string, BrowserContextOptions]> = [
		['on a desktop', {}],
		['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
		['on its side', { viewport: { width: 844, height: 390 }, isMobile: true, hasTouch: true }],
		['on a tablet', { viewport: { width: 820, height: 1180 }, isMobile: true, hasTouch: true }],
	];
	for (const [where, window] of WINDOWS) {
		for (const colorScheme of ['light', 'dark'] as const) {
			it(`with enough contrast in ${colorScheme} colors ${where}`, async () => {
				const phone = await open({ ...window, colorScheme });
				await phone.rest();
				expect(await tooFaint(phone)).toEqual([]);
			});
		}
	}

	it.each(['light', 'dark'] as const)('in every tint in %s colors', async (colorScheme) => {
		const phone = await open({ colorScheme, viewport: { width: 390, height: 844 } });
		const faint: string[] = [];
		for (const color of COLORS) {
			await bench.api.stream(
				'deploy',
				{ ...DEPLOY, color, badge: { title: `a ${color} badge`, color } },
				{ action: { title: 'Open log', type: 'open_url', url: 'https://example.com/log' } },
			);
			await bench.api.stream('server', { ...SERVER, color });
			await phone.page.getByText(`a ${color} badge`).waitFor();
			await phone.activity('Deploy shop 4.2.0').scrollIntoViewIfNeeded();
			const canvas = await opened!.context.newPage();
			for (const { text, contrast, isLarge } of await measureContrast(phone.page, canvas))
				if (contrast < (isLarge ? 3 : 4.5)) faint.push(`${color} ${contrast}: ${text}`);
			await canvas.close();
		}
		expect(faint).toEqual([]);
	});

	/** Elements that are wider than their place, and buttons smaller than a finger. */
	const overflowing = (page: Page) =>
		page.evaluate(() =>
			[
				...document.querySelectorAll<HTMLElement>(
					'.screen, .scroller, .card, .widget, .sheet, .history, .figure, .widget-value, .headline',
				),
			]
				.filter((node) => node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0)
				.map(
					(node) =>
						`${node.className}: ${node.scrollWidth} in ${node.clientWidth}: ${node.textContent.slice(0, 40)}`,
				),
		);
	const brokenNumbers = (page: Page) =>
		page.evaluate(() =>
			[...document.querySelectorAll<HTMLElement>('.figure, .widget-value, .headline')]
				.filter((node) => {
					const range = document.createRange();
					range.selectNodeContents(node.firstChild!);
					return (
						/^[^a-z]*\d[^a-z]*$/i.test(node.firstChild!.textContent!) &&
						range.getClientRects().length > 1
					);
				})
				.map((node) => node.textContent),
		);
	const small = (page: Page) =>
		page.evaluate(() =>
			[...document.querySelectorAll<HTMLElement>('button, a, select, input, summary')]
				.filter((node) => !node.closest('[inert], .is-leaving') && node.getClientRects().length > 0)
				.map((node) => [node, node.getBoundingClientRect()] as const)
				.filter(
					([node, { width, height }]) =>
						(width < 43.5 || height < 43.5) &&
						!node.matches('.notification-body, .history-link, .media-link'),
				)
				.map(
					([node, { width, height }]) =>
						`${node.className || node.tagName} ${Math.round(width)} × ${Math.round(height)}`,
				),
		);

	it.each([
		['a screen of 320 pixels', { viewport: { width: 320, height: 568 } }, 100],
		['text of twice the size', { viewport: { width: 390, height: 844 } }, 200],
		['text of twice the size on 320 pixels', { viewport: { width: 320, height: 568 } }, 200],
		['a phone on its side', { viewport: { width: 844, height: 390 } }, 100],
		['a tablet', { viewport: { width: 820, height: 1180 } }, 100],
	])('on %s: nothing is cut off, and no number breaks', async (_where, window, percent) => {
		const phone = await open({ ...window, isMobile: true, hasTouch: true });
		await phone.page.evaluate(
			(size) => (document.documentElement.style.fontSize = `${size}%`),
			percent,
		);
		await bench.api.stream('sales', {
			...SALES,
			metrics: [
				{ label: 'Revenue', value: '€12,480' },
				{ label: 'Orders', value: 1_318 },
				{ label: 'Visitors', value: 99_999 },
				{ label: 'Returns', value: '−1.25 %' },
			],
		});
		await bench.api.metric('revenue', 99_999.95);
		await phone.activity('Sales today').waitFor();
		await phone.rest();
		expect(await overflowing(phone.page)).toEqual([]);
		expect(await brokenNumbers(phone.page)).toEqual([]);
		expect(await small(phone.page)).toEqual([]);
		await bench.api.endStream('sales', { auto_dismiss_minutes: 0 });
	});

	it('on a tablet fills the screen', async () => {
		const phone = await open({
			viewport: { width: 820, height: 1180 },
			isMobile: true,
			hasTouch: true,
		});
		const box = (await phone.page.locator('.phone').boundingBox())!;
		expect(box).toEqual({ x: 0, y: 0, width: 820, height: 1180 });
	});

	it('from right to left, and mixed', async () => {
		await bench.api.push({
			title: 'طلب جديد 48.20 ₪',
			subtitle: 'Order 7',
			message: 'الاستلام غدًا',
		});
		const phone = await open();
		const card = phone.notification('طلب جديد 48.20 ₪');
		await card.waitFor();
		const starts = await card.evaluate((node) => {
			const edge = (name: string) => {
				const text = node.querySelector(`.notification-${name}`)!;
				const range = document.createRange();
				range.selectNodeContents(text);
				const [inner, outer] = [range.getBoundingClientRect(), text.getBoundingClientRect()];
				return outer.right - inner.right < inner.left - outer.left ? 'right' : 'left';
			};
			return [edge('title'), edge('subtitle'), edge('message')];
		});
		expect(starts).toEqual(['right', 'left', 'right']);
		await bench.api.push({ title: 'طلب آخر', subtitle: 'قيد التحضير' });
		const subtitle = phone.notification('طلب آخر').locator('.notification-subtitle');
		expect(await subtitle.evaluate((node) => getComputedStyle(node).direction)).toBe('rtl');
	});

	it('in forced colors, with edges and without the wallpaper', async () => {
		const phone = await open({ forcedColors: 'active' });
		expect(await phone.page.locator('.wallpaper').isVisible()).toBe(false);
		expect(await phone.page.locator('.clock-date').isVisible()).toBe(true);
		const edge = await phone.page
			.locator('.card')
			.first()
			.evaluate((node) => getComputedStyle(node).borderTopStyle);
		expect(edge).toBe('solid');
	});

	it('by programs that read aloud, in every state', async () => {
		const phone = await open({ viewport: { width: 390, height: 844 } });
		const { page } = phone;
		expect(await phone.findings()).toEqual([]);
		await page.getByRole('button', { name: /^Show \d+ more/ }).click();
		await phone.expand('Build 812 failed');
		expect(await phone.findings()).toEqual([]);
		await page.getByRole('button', { name: 'All metrics' }).click();
		expect(await phone.findings()).toEqual([]);
		await page.getByRole('button', { name: 'Back' }).click();
		await page.getByRole('button', { name: 'History' }).click();
		await page.locator('.history-entry').first().waitFor();
		expect(await phone.findings()).toEqual([]);
		await page.getByRole('button', { name: 'Back' }).click();
		await page.getByRole('button', { name: 'Settings' }).click();
		await page.getByRole('dialog').getByRole('switch', { name: 'Quiet hours' }).waitFor();
		await page.getByRole('dialog').getByText('What this browser supports').click();
		expect(await phone.findings()).toEqual([]);
		expect(await small(page)).toEqual([]);
		await page.getByRole('dialog').getByRole('switch', { name: 'Quiet hours' }).click();
		await page.getByRole('dialog').getByLabel('From').waitFor();
		expect(await phone.findings()).toEqual([]);
		await page.getByRole('dialog').getByRole('switch', { name: 'Quiet hours' }).click();
		await page.getByRole('dialog').getByLabel('From').waitFor({ state: 'detached' });
	});

	it('while it is paired', async () => {
		opened = await visit(bench.browser, { colorScheme: 'light' });
		const phone = new PhonePage(opened.page);
		await phone.page.goto(`${bench.server.url}/phone`);
		await phone.page.getByLabel('Pairing code').waitFor();
		expect(await phone.findings()).toEqual([]);
	});

	describe('with the keyboard', () => {
		const focused = (page: Page) =>
			page.evaluate(() => {
				const { activeElement: one } = document;
				return one === document.body ? 'nothing' : (one?.ariaLabel ?? one?.textContent ?? '');
			});

		it('every button has its own name', async () => {
			const phone = await open();
			await phone.activity('Deploy shop 4.2.0').waitFor();
			const names = await phone.page.evaluate(() =>
				[...document.querySelectorAll('.lock-screen :is(button, a)')].map(
					(node) => node.ariaLabel ?? node.textContent ?? '',
				),
			);
			expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
			expect(names).not.toContain('');
		});

		it('the focus is never lost', async () => {
			await bench.api.push({ title: 'First' });
			await bench.api.push({ title: 'Second' });
			const phone = await open();
			const { page } = phone;
			await page.getByRole('button', { name: 'History' }).focus();
			await page.keyboard.press('Enter');
			await page.getByRole('heading', { name: 'History' }).waitFor();
			await page.keyboard.press('Escape');
			await eventually(async () => expect(await focused(page)).toContain('History'));

			const panel = page.locator('.beside');
			await panel.getByRole('button', { name: 'Mute for 1 hour' }).focus();
			await page.keyboard.press('Enter');
			await eventually(async () => expect(await focused(page)).toBe('Unmute'));
			await page.keyboard.press('Enter');
			await eventually(async () => expect(await focused(page)).toMatch(/^Mute/));
			await panel.getByRole('button', { name: 'Disconnect this phone' }).focus();
			await page.keyboard.press('Enter');
			await eventually(async () => expect(await focused(page)).toBe('Disconnect'));
			await panel.getByRole('button', { name: 'Cancel' }).focus();
			await page.keyboard.press('Enter');
			await eventually(async () => expect(await focused(page)).toBe('Disconnect this phone'));

			await page.getByRole('button', { name: /^Show \d+ more/ }).focus();
			await page.keyboard.press('Enter');
			await eventually(async () => expect(await focused(page)).toBe('Show less'));
			await page.keyboard.press('Enter');
			await eventually(async () => expect(await focused(page)).toMatch(/more/));

			await page.getByRole('button', { name: 'Dismiss notification: Second' }).focus();
			await page.keyboard.press('Enter');
			await phone.notification('Second').waitFor({ state: 'detached' });
			expect(await focused(page)).not.toBe('nothing');

			await page.getByRole('button', { name: 'Clear all notifications' }).focus();
			await page.keyboard.press('Enter');
			await page.getByRole('button', { name: 'Undo' }).waitFor();
			expect(await focused(page)).toBe('Clear all notifications');
			await page.getByRole('button', { name: 'Undo' }).focus();
			await page.keyboard.press('Enter');
			// The other dismissal a moment ago is undone, too.
			await phone.notification('Second').waitFor();
			await eventually(async () => expect(await focused(page)).not.toBe('nothing'));
		});
	});

	it('in the words of English, with the dates and numbers of the browser', async () => {
		await bench.api.metric('orders', 12_345.5);
		await bench.api.stream('bread', BREAD);
		const phone = await open({ locale: 'de-DE' });
		await eventually(async () =>
			expect(await phone.widget('orders').innerText()).toContain('12.345,5'),
		);
		const date = await phone.page.locator('.clock-date').innerText();
		const today = await phone.page.evaluate(() =>
			new Date().toLocaleDateString('de-DE', { weekday: 'long', month: 'long', day: 'numeric' }),
		);
		expect(date).toBe(today);
	});
});
