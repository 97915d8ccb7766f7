/**
 * The app's page as it is built, in Chromium, with the app's own bridge behind it and the real server: what the WebView
 * adds is simulated here.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { type Browser, devices, type Locator, type Page } from 'playwright-core';
import { launchBrowser } from '../../server/test/browser/support/browser.ts';
import { PhonePage } from '../../server/test/browser/support/phone-page.ts';
import { waitFor } from '../../server/test/support/wait.ts';
import type { Bridge } from '../src/bridge.ts';
import { openBridge } from '../src/events.ts';
import type { Scanned } from '../src/scanning.ts';
import { type Bench, startBench } from './support/bench.ts';
import { APP, expo } from './support/extension.ts';
import { Memory, Network, sessionInMemory } from './support/memory.ts';

const EXPORT = join(APP, '.cache/export');
/** The origin of the page's files, which are read from the folder above. */
const ORIGIN = 'http://localhost';

let bench: Bench;
let browser: Browser;
let html: string;

before(async () => {
	expo(['export', '--platform', 'ios', '--output-dir', EXPORT]);
	[html = ''] = globSync('www.bundle/*.html', { cwd: EXPORT });
	assert.notEqual(html, '', 'The export has no page');
	[bench, browser] = await Promise.all([startBench(), launchBrowser()]);
});

afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

after(() => Promise.all([bench?.[Symbol.asyncDispose](), browser?.close()]));

/** Opens the page as the app does: with the app's functions behind it, and paired unless a test pairs it. */
async function openPage({ permission = 'on', isPaired = true, link = '' } = {}) {
	const [store, net] = [new Memory(), new Network()];
	const session = sessionInMemory({ store, fetch: net.fetch });
	const paired = isPaired ? await bench.pair(session) : undefined;
	const asked: string[] = [];
	const scans: Scanned[] = [];
	const actions: Record<string, (...values: never[]) => Promise<unknown>> = {
		...(openBridge(session) as unknown as Record<keyof Bridge, never>),
		pair: (origin: string, code: string) =>
			session.pair(origin, { code, name: 'iPhone' }).then(
				() => '',
				({ message }: Error) => message,
			),
		scan: async () => scans.shift() ?? {},
		keep: async () => void asked.push('kept'),
		permission: async (ask: boolean) => (ask && asked.push('permission'), permission),
		openLink: async (url: string) => void asked.push(url),
		onDisconnected: async () => void asked.push('disconnected'),
		onLeft: async () => void asked.push('left'),
	};
	const page = await browser.newPage({ ...devices['iPhone 13'], locale: 'en-GB' });
	await page.exposeFunction('answerNative', async (text: string) => {
		const { type, data } = JSON.parse(text);
		if (type !== '$$native_action') return null;
		const result = await actions[data.actionId]!(...(data.args as never[]));
		return { uid: data.uid, actionId: data.actionId, result };
	});
	await page.addInitScript(
		({ props, names }) => {
			const initialProps = { props, names };
			const shell = window as any;
			shell.$$EXPO_DOM_HOST_OS = 'ios';
			shell.$$EXPO_INITIAL_PROPS = initialProps;
			shell.ReactNativeWebView = {
				injectedObjectJson: () => JSON.stringify({ EXPO_DOM_HOST_OS: 'ios', initialProps }),
				postMessage: async (text: string) => {
					const data = await shell.answerNative(text);
					const detail = { type: '$$native_action_result', data };
					if (data) window.dispatchEvent(new CustomEvent('$$dom_event', { detail }));
				},
			};
		},
		{
			props: {
				phone: link ? undefined : paired?.id,
				paired: paired?.origin ?? '',
				origin: link,
				code: link && 'ABCD1234',
				notice: '',
			},
			names: Object.keys(actions),
		},
	);
	await page.route(`${ORIGIN}/**`, (route) => {
		const { pathname } = new URL(route.request().url());
		return route.fulfill({ path: join(EXPORT, decodeURIComponent(pathname)) });
	});
	await page.goto(`${ORIGIN}/${html}`);
	await page.getByRole('heading', { name: 'iPhone' }).first().waitFor({ state: 'attached' });
	// `texts`: what the app keeps; `asked`: what the page asked of the app, apart from calls; `scans`: what they give.
	return { phone: new PhonePage(page), session, texts: store.texts, asked, scans, net };
}

async function openSettings(page: Page) {
	await page.getByRole('button', { name: /^(Settings|About this phone)/ }).click();
	return page.locator('dialog[open]');
}

const seen = (place: Page | Locator, text: RegExp) => place.getByText(text).first().waitFor();

const send = (title: string, parameters: object = {}) =>
	bench.run({ resource: 'pushNotification', operation: 'send', title, ...parameters });

const backup = { streamKey: 'backup', activityType: 'progress', title: 'Backup', percentage: 40 };

test('shows what arrives, answers questions, and has no findings of axe', async () => {
	const { phone } = await openPage();
	const { question_id: id } = await bench.ask({ title: 'Note?', text: {} });
	const button = [{ title: 'Approve', type: 'webhook', url: bench.webhookUrl }];
	await send('Deploy?', { message: 'Version 2.0', actions: { button } });
	await phone.notification('Deploy?').waitFor();
	await bench.run({ resource: 'liveActivity', operation: 'upsert', ...backup });
	await phone.activity('Backup').waitFor();
	assert.deepEqual(await phone.findings(), []);
	for (const gone of ['.clock', '.wallpaper', '.carrier'])
		assert.equal(await phone.page.locator(gone).isVisible(), false, gone);
	await phone.expand('Deploy?');
	await phone.notification('Deploy?').getByRole('button', { name: 'Approve' }).click();
	await seen(phone.page, /Approved by/);
	const note = phone.notification('Note?');
	await note.getByLabel('Answer: Note?').fill('Smaller');
	await note.getByRole('button', { name: /^Send/ }).click();
	const read = async () => (await bench.question(id)).answer;
	assert.equal((await waitFor('the answer', read)).text, 'Smaller');
});

test('leaves its links to iOS: on cards, in texts, on buttons', async () => {
	const { phone, asked } = await openPage();
	const { page } = phone;
	const button = [{ title: 'Camera', type: 'open_url', url: 'https://example.com/camera' }];
	const message =
		'See https://example.com/log, or write to ops@example.com, or call +1 555 010 9999.';
	await send('With links', { message, actions: { button } });
	await phone.expand('With links');
	const card = phone.notification('With links');
	for (const name of ['https://example.com/log', 'ops@example.com', /555/, /^Camera/])
		await card.getByRole('link', { name }).click();
	await send('With a target', { options: { redirection: 'maps://?q=Bonn' } });
	await phone.notification('With a target').getByRole('link').click();
	await waitFor('five links', () => asked.length === 5);
	assert.deepEqual(asked, [
		'https://example.com/log',
		'mailto:ops@example.com',
		'tel:+15550109999',
		'https://example.com/camera',
		'maps://?q=Bonn',
	]);
	assert.equal(page.context().pages().length, 1);
	assert.match(page.url(), /www\.bundle/);
});

test('has history and settings, asks for notifications, and leaves', async () => {
	const { phone, session, texts, asked } = await openPage({ permission: 'ask' });
	const { page } = phone;
	await send('To be found');
	// Its arrival moves the buttons.
	await phone.notification('To be found').waitFor();
	await page.getByRole('button', { name: 'History' }).first().click();
	await page.getByText('To be found', { exact: true }).last().waitFor();
	assert.deepEqual(await phone.findings(), []);
	await page.getByRole('button', { name: 'Back' }).click();
	const sheet = await openSettings(page);
	await sheet.getByRole('switch', { name: 'Notifications' }).click();
	assert.deepEqual(asked, ['permission']);
	await seen(sheet, /Quiet hours/);
	await sheet.getByRole('switch', { name: 'ops' }).waitFor();
	// iOS plays the sounds of notifications, whatever the page would.
	assert.equal(await sheet.getByLabel('Sound of ops').isVisible(), false);
	assert.deepEqual(await phone.findings(), []);

	await waitFor('the state to be kept', () => texts.has('page saved') && texts.has('page history'));
	const { token } = (await session.pairing())!;
	const withToken = [...texts].filter(([, text]) => text.includes(token)).map(([key]) => key);
	assert.deepEqual(withToken, ['pairing']);
	assert.deepEqual(await page.evaluate(() => indexedDB.databases()), []);
	await sheet.getByRole('button', { name: 'Disconnect this phone' }).click();
	await sheet.getByRole('button', { name: 'Disconnect', exact: true }).click();
	await waitFor('the page to leave', () => asked.includes('left'));
	await session.forget();
	await phone.hide();
	assert.deepEqual([...texts.keys()], []);
	await assert.rejects(session.catchUp(), /not paired/);
});

test('has its state, history and settings without a network, and goes on with it', async () => {
	const { phone, texts, net } = await openPage();
	const { page } = phone;
	const history = page.getByRole('button', { name: 'History' }).first();
	const found = page.getByText('Seen before', { exact: true }).last();
	await send('Seen before');
	await history.click();
	await found.waitFor();
	await waitFor('the history to be kept', () => texts.has('page history'));
	await waitFor('the state to be kept', () => texts.get('page saved')?.includes('Seen before'));
	net.isOn = false;
	await page.reload();
	await phone.notification('Seen before').waitFor();
	await history.click();
	await page.getByText(/Shown are the newest entries as of/).waitFor();
	await found.waitFor();
	await page.getByRole('button', { name: 'Back' }).click();
	const sheet = await openSettings(page);
	await sheet.getByRole('switch', { name: 'Dismiss everywhere' }).click();
	await seen(sheet, /Could not reach|No connection|offline/i);
	// Other words may say so before the choice has been refused.
	await sheet.getByRole('switch', { name: 'Dismiss everywhere', checked: false }).waitFor();
	assert.deepEqual(await phone.findings(), []);
	net.isOn = true;
	await send('After');
	await phone.notification('After').waitFor({ state: 'attached' });
});

test('pairs by address and code, and says what is wrong with them', async () => {
	const { phone, session, scans } = await openPage({ isPaired: false });
	const { page } = phone;
	const alert = page.getByRole('alert');
	const pair = page.getByRole('button', { name: 'Pair', exact: true });
	await pair.click();
	await alert.getByText('Enter the address of your Beckon server.').waitFor();
	const scan = page.getByRole('button', { name: 'Scan QR code' });
	scans.push({ problem: 'Beckon may not use the camera.' }, {}, { text: 'https://example.com' });
	await scan.click();
	await alert.getByText('Beckon may not use the camera.').waitFor();
	// Closed.
	await scan.click();
	await alert.getByText('Beckon may not use the camera.').waitFor({ state: 'detached' });
	await scan.click();
	await alert.getByText(/That is no pairing code of Beckon/).waitFor();
	await page.getByLabel('Server’s address').fill(bench.server.url);
	await page.getByLabel('Pairing code').fill('AAAA-1111');
	await pair.click();
	await alert.getByText(/This pairing code is wrong/).waitFor();
	for (const colorScheme of ['light', 'dark'] as const) {
		await page.emulateMedia({ colorScheme });
		assert.deepEqual(await phone.findings(), [], colorScheme);
	}
	await page.getByLabel('Pairing code').fill((await bench.pairCode()).toLowerCase());
	await pair.click();
	await waitFor('the pairing', () => session.pairing());
});

test('asks before a link replaces the pairing, and keeps it', async () => {
	const { phone, session, asked } = await openPage({ link: 'https://other.example.com' });
	const { page } = phone;
	const { origin } = (await session.pairing())!;
	await page.getByRole('heading', { name: 'Pair this iPhone again?' }).waitFor();
	await page.getByText(`It is paired with ${origin}, which it then leaves.`).waitFor();
	assert.equal(await page.getByLabel('Server’s address').inputValue(), 'https://other.example.com');
	assert.deepEqual(await phone.findings(), []);
	await page.getByRole('button', { name: 'Keep current pairing' }).click();
	await waitFor('the answer', () => asked.includes('kept'));
	await session.catchUp();
});
