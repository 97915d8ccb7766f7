import { existsSync } from 'node:fs';
import {
	type Browser,
	type BrowserContext,
	type BrowserContextOptions,
	chromium,
	type Page,
} from 'playwright-core';
import { HANGS_MS } from '../../support/wait.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const ARGUMENTS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** The system's Chromium. Never skipped: without a browser the page is not tested. */
function executablePath(): string {
	const path = [process.env.CHROMIUM_PATH ?? '', ...PLACES].find(
		(place) => place !== '' && existsSync(place),
	);
	if (path === undefined) {
		throw new Error(
			'The browser tests need Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.',
		);
	}
	return path;
}

export function launchBrowser(): Promise<Browser> {
	return chromium.launch({ executablePath: executablePath(), args: ARGUMENTS });
}

/** A loaf of bread, in place of every picture on the internet. */
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400" viewBox="0 0 600 400">
<defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="#f3b562"/><stop offset="1" stop-color="#b5541c"/></linearGradient></defs>
<rect width="600" height="400" fill="url(#g)"/><ellipse cx="300" cy="235" rx="200" ry="112" fill="#8a4513"/>
<ellipse cx="300" cy="218" rx="190" ry="100" fill="#c9803a"/>
<path d="M195 200q40-44 70 4M275 190q40-44 70 4M355 200q34-34 60 4" stroke="#f5d7a0" stroke-width="15" fill="none" stroke-linecap="round"/></svg>`;

/** A tenth of a second of silence: 8 kHz, one channel, 8 bits. */
function silence(): Buffer {
	const samples = Buffer.alloc(800, 128);
	const header = Buffer.alloc(44);
	header.write('RIFF', 0);
	header.writeUInt32LE(36 + samples.length, 4);
	header.write('WAVEfmt ', 8);
	header.writeUInt32LE(16, 16);
	header.writeUInt16LE(1, 20);
	header.writeUInt16LE(1, 22);
	header.writeUInt32LE(8000, 24);
	header.writeUInt32LE(8000, 28);
	header.writeUInt16LE(1, 32);
	header.writeUInt16LE(8, 34);
	header.write('data', 36);
	header.writeUInt32LE(samples.length, 40);
	return Buffer.concat([header, samples]);
}

export interface Visit {
	page: Page;
	context: BrowserContext;
	/** Errors and warnings of the console, page errors, and violations of the content security policy. */
	complaints: string[];
}

const WINDOW: BrowserContextOptions = {
	viewport: { width: 1180, height: 940 },
	deviceScaleFactor: 1.5,
	locale: 'en-GB',
};

/** A private window. Nothing leaves loopback: pictures are served from here, other sites are empty. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
	const context = await browser.newContext({ ...WINDOW, ...options });
	return visitIn(context, await context.newPage());
}

export interface BrowserOptions {
	/** Of the browser's process. */
	env?: NodeJS.ProcessEnv;
	args?: readonly string[];
	/** An https origin whose answers are real. */
	origin?: string;
}

/** A separate browser that keeps its data in `profile`, as people's browsers do. */
export async function launchPersistent(
	profile: string,
	{ env, args = [], origin }: BrowserOptions = {},
): Promise<Visit> {
	const context = await chromium.launchPersistentContext(profile, {
		executablePath: executablePath(),
		args: [...ARGUMENTS, ...args],
		...(env && { env }),
		colorScheme: 'dark',
		...WINDOW,
	});
	return visitIn(context, context.pages()[0] ?? (await context.newPage()), origin);
}

async function visitIn(context: BrowserContext, page: Page, origin?: string): Promise<Visit> {
	context.setDefaultTimeout(HANGS_MS);
	await context.route('https://**/*', (route) => {
		const url = new URL(route.request().url());
		if (url.origin === origin) return route.continue();
		const { pathname } = url;
		if (pathname.endsWith('.png'))
			return route.fulfill({ contentType: 'image/svg+xml', body: PICTURE });
		if (pathname.endsWith('.wav'))
			return route.fulfill({ contentType: 'audio/wav', body: silence() });
		if (pathname.startsWith('/missing')) return route.fulfill({ status: 404, body: '' });
		return route.fulfill({ contentType: 'text/html', body: '<title>Elsewhere</title>' });
	});
	const complaints: string[] = [];
	page.on('pageerror', (error) => complaints.push(String(error)));
	page.on('console', (message) => {
		// The page must cope with missing pictures on the internet.
		const isElsewhere = message.location().url.startsWith('https://');
		const isComplaint = ['error', 'warning'].includes(message.type());
		if (isComplaint && !isElsewhere) complaints.push(message.text());
	});
	return { page, context, complaints };
}

/** Polls until `check` passes; reports its last failure. */
export async function eventually(check: () => Promise<void> | void): Promise<void> {
	const deadline = Date.now() + HANGS_MS;
	for (;;) {
		try {
			await check();
			return;
		} catch (error) {
			if (Date.now() > deadline) throw error;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
}
