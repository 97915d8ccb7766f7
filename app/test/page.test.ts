/**
 * The app's page as it is built, in Chromium, with the app's own bridge behind it and the real server: what the
 * WebView adds is played here.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { existsSync, globSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../server/test/browser/support/browser.ts';
import { PhonePage } from '../../server/test/browser/support/phone-page.ts';
import { waitFor } from '../../server/test/support/wait.ts';
import type { Bridge } from '../src/bridge.ts';
import { openBridge } from '../src/events.ts';
import type { Session } from '../src/session.ts';
import { type Bench, startBench } from './support/bench.ts';
import { APP } from './support/extension.ts';
import { memory, sessionInMemory } from './support/memory.ts';

const EXPORT = join(APP, '.cache/export');
const TYPES: Record<string, string> = {
	'.html': 'text/html',
	'.js': 'text/javascript',
	'.css': 'text/css',
};

let bench: Bench;
let browser: Browser;
let files: Server;
let html: string;

before(async () => {
	const cli = join(APP, 'node_modules/expo/bin/cli');
	execFileSync(process.execPath, [cli, 'export', '--platform', 'ios', '--output-dir', EXPORT], {
		cwd: APP,
		env: { ...process.env, CI: '1', EXPO_OFFLINE: '1' },
		stdio: 'pipe',
	});
	[html = ''] = globSync('www.bundle/*.html', { cwd: EXPORT });
	assert.notEqual(html, '', 'The export has no page');
	files = createServer(({ url = '' }, answer) => {
		const file = join(EXPORT, decodeURIComponent(new URL(url, 'http://x').pathname));
		if (!existsSync(file)) return answer.writeHead(404).end();
		answer.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
		return answer.end(readFileSync(file));
	});
	await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
	[bench, browser] = await Promise.all([startBench(), launchBrowser()]);
});

after(async () => {
	await Promise.all([bench?.close(), browser?.close(), files?.close()]);
});

interface Opened {
	phone: PhonePage;
	session: Session;
	/** What the page asked of the app, apart from calls. */
	asked: string[];
	setOnline: (isOnline: boolean) => void;
}

/** Opens the page as the app does: paired, with the app's functions behind it. */
async function openPage(permission: 'on' | 'ask' = 'on'): Promise<Opened> {
	let isOnline = true;
	const online: typeof fetch = (...request) =>
		isOnline ? fetch(...request) : Promise.reject(new TypeError('No network'));
	const session = sessionInMemory({ store: memory(), fetch: online });
	const { token } = await session.pair(bench.server.url, {
		code: await bench.pairCode(),
		name: 'iPhone',
	});
	const asked: string[] = [];
	const actions: Record<string, (...values: never[]) => Promise<unknown>> = {
		...(openBridge(session, online) as unknown as Record<keyof Bridge, never>),
		permission: async (ask: boolean) => (ask && asked.push('permission'), permission),
		openLink: async (url: string) => void asked.push(url),
		onDisconnected: async () => void asked.push('disconnected'),
		onLeft: async () => void asked.push('left'),
	};
	const page = await browser.newPage({
		viewport: { width: 390, height: 844 },
		locale: 'en-GB',
		hasTouch: true,
		isMobile: true,
	});
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
		{ props: { token }, names: Object.keys(actions) },
	);
	const { port } = files.address() as AddressInfo;
	await page.goto(`http://127.0.0.1:${port}/${html}`);
	await page.getByRole('heading', { name: 'iPhone' }).waitFor({ state: 'attached' });
	const setOnline = (next: boolean) => {
		isOnline = next;
	};
	return { phone: new PhonePage(page), session, asked, setOnline };
}

const send = (title: string, parameters: object = {}) =>
	bench.run({ resource: 'pushNotification', operation: 'send', title, ...parameters });

const backup = { streamKey: 'backup', activityType: 'progress', title: 'Backup', percentage: 40 };

test('shows what arrives, answers a question, and has no findings of axe', async () => {
	const { phone } = await openPage();
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
	await phone.page
		.getByText(/Approved by/)
		.first()
		.waitFor();
	await phone.page.close();
});

test('leaves its links to iOS: on cards, in texts, on buttons', async () => {
	const { phone, asked } = await openPage();
	const { page } = phone;
	const button = [{ title: 'Camera', type: 'open_url', url: 'https://example.com/camera' }];
	const message = 'See https://example.com/log, or write to ops@example.com, or call +1 555 010 9999.';
	await send('With links', { message, actions: { button } });
	await phone.expand('With links');
	const card = phone.notification('With links');
	await card.getByRole('link', { name: 'https://example.com/log' }).click();
	await card.getByRole('link', { name: 'ops@example.com' }).click();
	await card.getByRole('link', { name: /555/ }).click();
	await card.getByRole('link', { name: /^Camera/ }).click();
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
	await page.close();
});

test('shows its last state without a network, and goes on with it', async () => {
	const { phone, setOnline } = await openPage();
	await send('Before');
	await phone.notification('Before').waitFor();
	setOnline(false);
	await phone.page.evaluate(() => window.dispatchEvent(new Event('offline')));
	await phone.notification('Before').waitFor();
	setOnline(true);
	await send('After');
	await phone.notification('After').waitFor();
	await phone.page.close();
});

test('has history and settings, asks for notifications, and leaves', async () => {
	const { phone, session, asked } = await openPage('ask');
	const { page } = phone;
	await send('To be found');
	await page.getByRole('button', { name: 'History' }).first().click();
	await page.getByText('To be found', { exact: true }).last().waitFor();
	assert.deepEqual(await phone.findings(), []);
	await page.getByRole('button', { name: 'Back' }).click();
	await page.getByRole('button', { name: /^(Settings|About this phone)/ }).click();
	const sheet = page.locator('dialog[open]');
	await sheet.getByRole('switch', { name: 'Notifications' }).click();
	assert.deepEqual(asked, ['permission']);
	await sheet
		.getByText(/Quiet hours/)
		.first()
		.waitFor();
	assert.deepEqual(await phone.findings(), []);
	await sheet.getByRole('button', { name: 'Disconnect this phone' }).click();
	await sheet.getByRole('button', { name: 'Disconnect', exact: true }).click();
	await waitFor('the page to leave', () => asked.includes('left'));
	await assert.rejects(session.catchUp(), /disconnected/);
	await page.close();
});
