import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Visit } from './support/browser.ts';
import type { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, startConsoleWorld } from './support/console-world.ts';

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
});

afterAll(() => world?.close());

/** An attempt to inject HTML. */
const evil = (mark: string) =>
	`<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>${mark}`;

describe.each(['/console', '/phone', '/api/docs'])('the page at %s', (path) => {
	const get = () => fetch(`${world.server.url}${path}`);

	it('lets no script run but its own files', async () => {
		const response = await get();
		const policy = response.headers.get('content-security-policy') ?? '';
		expect(policy).toMatch(/script-src 'self'\s*;/);
		expect(policy).toMatch(/object-src 'none'|default-src 'self'/);
		expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline/);
		expect(response.headers.get('x-content-type-options')).toBe('nosniff');
	});

	it('has no script of its own between its lines', async () => {
		const html = await (await get()).text();
		const scripts = [...html.matchAll(/<script\b([^>]*)>([^<]*)/g)];
		expect(scripts.length).toBeGreaterThan(0);
		for (const [, attributes, text] of scripts)
			expect([/\bsrc=/.test(attributes!), text!.trim()]).toEqual([true, '']);
		expect(html).not.toMatch(/\son[a-z]+=|javascript:/i);
	});

	it('may be framed by nobody, and is shown without a violation', async () => {
		const { headers } = await get();
		expect(headers.get('content-security-policy')).toMatch(/frame-ancestors '(none|self)'/);
		const page = await owner.context.newPage();
		const complaints: string[] = [];
		page.on('pageerror', (error) => complaints.push(String(error)));
		page.on('console', (message) => {
			const words = message.text();
			// Swagger UI hides its own picture with a style attribute; refusing that does no harm.
			const isForeign = path === '/api/docs' && words.startsWith('Applying inline style');
			if (words.includes('Content Security Policy') && !isForeign) complaints.push(words);
		});
		await page.goto(`${world.server.url}${path}`);
		await page.waitForLoadState('networkidle');
		await page.close();
		expect(complaints).toEqual([]);
	});
});

describe('what a sender, a phone or a colleague writes', () => {
	it('is text on every page of the console', async () => {
		await world.enter();
		const { api } = world;
		await api.push({
			title: evil('push'),
			message: evil('message'),
			subtitle: evil('subtitle'),
			metadata: { note: evil('note') },
		});
		await api.stream('evil', {
			type: 'metrics',
			title: evil('activity'),
			metrics: [{ label: '<b>label</b>', value: '<i>value</i>', unit: '<u>' }],
		});
		await api.metric('build.status', '<img src=x onerror="window.hacked=1">');
		await world.pair('<s>Evil phone</s>');
		for (const [page, words] of [
			['Live now', evil('activity')],
			['History', evil('push')],
			['Metrics', '<img src=x onerror="window.hacked=1">'],
			['Phones', '<s>Evil phone</s>'],
		] as const) {
			await app.open(page);
			await owner.page.getByText(words).first().waitFor();
		}
		await app.open('History');
		await app.button(evil('push')).click();
		await app.dialog().getByText(evil('message')).waitFor();
		await app.dialog().getByText(evil('note').slice(0, 8)).first().waitFor();
		expect(await owner.page.evaluate(() => 'hacked' in window)).toBe(false);
		expect(await owner.page.locator('img[src="x"], s, u').count()).toBe(0);
	});
});
