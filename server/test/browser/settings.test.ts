import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { type Bench, openBench } from './support/bench.ts';
import { eventually, type Visit, visit } from './support/browser.ts';
import { BACKUP } from './support/examples.ts';
import { PhonePage } from './support/phone-page.ts';
import type { Api } from './support/server.ts';

const IPHONE: BrowserContextOptions = {
	userAgent:
		'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
	viewport: { width: 390, height: 844 },
	isMobile: true,
	hasTouch: true,
};

/** The phone page in use: settings, history and the browser's capabilities. */
describe('the phone page, in the hands of a person', () => {
	let bench: Bench;
	let phone: PhonePage;
	let api: Api;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		({ phone, api } = bench);
		for (const [slug, name] of Object.entries({ ops: 'Operations', sales: 'Sales' })) {
			const create = ['create', '--account', 'Bakery', '--slug', slug, '--name', name];
			await bench.server.command('channel', ...create);
			const assign = ['assign', '--account', 'Bakery', '--channel', slug, '--users', 'owner'];
			await bench.server.command('channel', ...assign);
		}
		await bench.opened.context.addInitScript(countNotes);
		await bench.pair();
	});

	afterAll(async () => {
		await bench.close();
	});

	/** Counts notes of the page's own sound where the browser makes them. */
	const notes = () => phone.page.evaluate(() => Number(sessionStorage.getItem('notes') ?? '0'));

	describe('sound', () => {
		it('is heard with what asks for attention, once somebody has touched the page', async () => {
			await phone.page.locator('.clock').click();
			await api.push({ title: 'Heard' });
			await eventually(async () => expect(await notes()).toBe(2));
		});

		it('is not heard where the sender wants none', async () => {
			await api.push({ title: 'Silent', sound: 'none' });
			await phone.notification('Silent').waitFor();
			await api.push({ title: 'Passive', interruption_level: 'passive' });
			await phone.notification('Passive').waitFor();
			expect(await notes()).toBe(2);
		});

		it('is not heard once it is switched off, and still not after a reload', async () => {
			await phone.toggleSound();
			await phone.page.reload();
			await phone.live();
			await phone.page.locator('.clock').click();
			await api.push({ title: 'Not heard' });
			await phone.notification('Not heard').waitFor();
			expect(await notes()).toBe(2);
			expect(await phone.setting('Sound').getAttribute('aria-checked')).toBe('false');
		});
	});

	describe('a muted channel', () => {
		it('comes into the history and nowhere else, until it is heard again', async () => {
			await Promise.all([
				phone.page.waitForResponse('**/device/channels/ops'),
				phone.setting('Operations').click(),
			]);
			await api.push({ title: 'Muted one', target: { channels: ['ops'] } });
			await api.push({ title: 'Another way', target: { channels: ['ops', 'sales'] } });
			await phone.notification('Another way').waitFor();
			expect(await phone.notification('Muted one').count()).toBe(0);
			await phone.page.reload();
			await phone.live();
			expect(await phone.notification('Muted one').count()).toBe(0);
			expect(await phone.setting('Operations').getAttribute('aria-checked')).toBe('false');

			await phone.page.getByRole('button', { name: 'History' }).click();
			const history = phone.page.getByRole('region', { name: 'History' });
			const entry = history.getByRole('article').filter({ hasText: 'Muted one' });
			await entry.getByText('Muted', { exact: true }).waitFor();
			await phone.page.getByRole('button', { name: 'Back' }).click();
			await phone.setting('Operations').click();
		});
	});

	describe('the history', () => {
		const titles = () => phone.page.locator('.history-title').allInnerTexts();
		const search = (words: string) => phone.page.getByLabel('Search', { exact: true }).fill(words);

		it('has what was dismissed, and each Live Activity once', async () => {
			await api.push({
				title: 'Order 7',
				message: 'Two <b>Sourdough</b>',
				redirection: 'https://example.com/7',
				tags: ['shop'],
			});
			await phone.dismiss('notification', 'Order 7');
			await api.stream('backup', BACKUP);
			await api.stream('backup', { value: 150 });
			await phone.activity('Nightly backup').waitFor();
			await phone.page.getByRole('button', { name: 'History' }).click();
			await eventually(async () =>
				expect((await titles()).slice(0, 2)).toEqual(['Nightly backup', 'Order 7']),
			);
			const text = await phone.page.locator('.history-list').innerText();
			expect(text).toContain('75% · photos → archive');
			expect(text).toContain('Two <b>Sourdough</b>');
			expect(await phone.page.getByRole('link', { name: 'Order 7' }).getAttribute('href')).toBe(
				'https://example.com/7',
			);
			await phone.screenshots('history');
		});

		it('is searched by words and tags', async () => {
			await search('sourdough two');
			await eventually(async () => expect(await titles()).toEqual(['Order 7']));
			await search('shop');
			await eventually(async () => expect(await titles()).toEqual(['Order 7']));
			await search('croissant');
			await phone.page.getByText('No results.').waitFor();
			await search('');
			await eventually(async () => expect((await titles()).length).toBeGreaterThan(3));
		});

		it('goes back as far as one wants', async () => {
			for (let index = 0; index < 32; index += 1) await api.push({ title: `Loaf ${index}` });
			await search('loaf');
			await eventually(async () => expect(await titles()).toHaveLength(30));
			await phone.page.getByRole('button', { name: 'Show older' }).click();
			await eventually(async () => expect(await titles()).toHaveLength(32));
			expect(await phone.page.getByRole('button', { name: 'Show older' }).count()).toBe(0);
		});

		it('says so when the server cannot be reached', async () => {
			await bench.opened.context.setOffline(true);
			await search('rye');
			await phone.page.getByText('Could not reach the server.').waitFor();
			await bench.opened.context.setOffline(false);
			await phone.page.keyboard.press('Escape');
			await phone.page.locator('.history').waitFor({ state: 'detached' });
			bench.opened.complaints.length = 0;
		});

		it('is a shortcut of the installed app', async () => {
			await phone.page.goto(`${bench.server.url}/phone?show=history`);
			await phone.page.getByRole('heading', { name: 'History' }).waitFor();
		});
	});

	describe('what the browser can do', () => {
		let opened: Visit | undefined;
		const abilities = async (page: PhonePage, inside: string) => {
			const panel = page.page.locator(inside);
			await panel.getByText('What this browser supports').click();
			return panel
				.locator('.capabilities li')
				.evaluateAll((lines) =>
					lines.map((line) => `${line.getAttribute('data-can')}: ${line.textContent}`),
				);
		};

		it('is said plainly: here Chromium, in a tab', async () => {
			await phone.page.goto(`${bench.server.url}/phone`);
			await phone.live();
			const said = (await abilities(phone, '.beside')).join('\n');
			expect(said).toMatch(/partly: Notifications in the background.*Allow them above/);
			expect(said).toMatch(/no: Badge on the app icon.*Only when installed as an app/);
			expect(said).toMatch(/partly: Buttons on notifications.*The first 2/);
			expect(said).toMatch(/yes: Offline/);
			await phone.screenshots('abilities');
		});

		it('on an iPhone needs the home screen, which is said before pairing and after it', async () => {
			opened = await visit(bench.browser, { ...IPHONE, colorScheme: 'light' });
			// Safari has Web Push only in apps added to the home screen.
			await opened.context.addInitScript(() => {
				Reflect.deleteProperty(window, 'PushManager');
				Reflect.deleteProperty(window, 'Notification');
			});
			const iphone = new PhonePage(opened.page);
			const code = await bench.newCode();
			await iphone.page.goto(`${bench.server.url}/phone#code=${code}`);
			const hint = `Open Beckon from there and enter ${code.slice(0, 4)}-${code.slice(4)}.`;
			await iphone.page.getByText(hint).waitFor();
			await iphone.screenshots('pairing-iphone');
			await iphone.pair();
			await iphone.live();
			const card = iphone.page.getByRole('region', { name: 'Notifications on this phone' });
			expect(await card.innerText()).toContain('“Add to Home Screen”');
			expect(await card.getByRole('button', { name: 'Allow notifications' }).count()).toBe(0);
			await iphone.page.getByRole('button', { name: 'Settings' }).tap();
			const said = (await abilities(iphone, 'dialog')).join('\n');
			expect(said).toMatch(/no: Notifications in the background.*iOS 16\.4/);
			expect(said).toMatch(/partly: Installed as an app.*Share/);
			await iphone.screenshots('abilities-iphone');
			await iphone.page.getByRole('button', { name: 'Close' }).tap();
			await card.getByRole('button', { name: 'Not now' }).tap();
			expect(await card.count()).toBe(0);
			await iphone.kept('settings', (settings) => settings.includes('"askedForPush":true'));
			await opened.context.close();
		});

		it('is nothing in the background where notifications are blocked', async () => {
			opened = await visit(bench.browser, { colorScheme: 'light' });
			await opened.context.addInitScript(() =>
				Object.defineProperty(Notification, 'permission', { get: () => 'denied' }),
			);
			const blocked = new PhonePage(opened.page);
			await bench.pair(blocked);
			await blocked.page.locator('.beside').getByText('You have blocked them').first().waitFor();
			expect(await blocked.setting('Notifications').isDisabled()).toBe(true);
			await blocked.screenshots('blocked');
			await opened.context.close();
		});
	});

	it('broke no rule of its content security policy, and raised no error', () => {
		expect(bench.opened.complaints).toEqual([]);
	});
});

/** Runs in the page. */
function countNotes(): void {
	const create = AudioContext.prototype.createOscillator;
	AudioContext.prototype.createOscillator = function counted(this: AudioContext) {
		sessionStorage.setItem('notes', String(Number(sessionStorage.getItem('notes') ?? '0') + 1));
		return create.call(this);
	};
}
