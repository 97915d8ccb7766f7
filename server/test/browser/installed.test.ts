import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bench, openBench } from './support/bench.ts';
import { eventually, launchPersistent, type Visit } from './support/browser.ts';
import { BREAD, DEPLOY } from './support/examples.ts';
import { PhonePage } from './support/phone-page.ts';

/** The phone as an installed app: installability, and behavior without a network. */
describe('the installed phone', () => {
	let bench: Bench;
	let profile: string;
	let opened: Visit;
	let phone: PhonePage;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		// Browsers install nothing in a private window, and a fresh context is one.
		profile = mkdtempSync(join(tmpdir(), 'beckon-profile-'));
		opened = await launchPersistent(profile);
		phone = new PhonePage(opened.page);
		await bench.pair(phone);
	});

	afterAll(async () => {
		await opened.context.close();
		await bench.close();
		rmSync(profile, { recursive: true, force: true });
	});

	const scopeOfWorker = () =>
		phone.page.evaluate(async () => (await navigator.serviceWorker.ready).scope);

	it('has a manifest with which Chromium installs it', async () => {
		const devtools = await opened.context.newCDPSession(phone.page);
		const manifest = await devtools.send('Page.getAppManifest');
		expect(manifest.errors).toEqual([]);
		expect(manifest.url).toBe(`${bench.server.url}/phone/manifest.webmanifest`);
		expect(JSON.parse(manifest.data!)).toMatchObject({
			name: 'Beckon',
			scope: '/phone',
			start_url: '/phone',
			display: 'standalone',
		});
		const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
		expect(installabilityErrors).toEqual([]);
	});

	it('has icons of the sizes that it names, for iOS too', async () => {
		const response = await fetch(`${bench.server.url}/phone/manifest.webmanifest`);
		expect(response.headers.get('content-type')).toContain('application/manifest+json');
		const { icons } = (await response.json()) as { icons: Array<{ src: string; sizes: string }> };
		const apple = await phone.page.getAttribute('link[rel=apple-touch-icon]', 'href');
		for (const { src, sizes } of [...icons, { src: apple!, sizes: '180x180' }]) {
			const size = await phone.page.evaluate(async (src) => {
				const picture = new Image();
				picture.src = src;
				await picture.decode();
				return `${picture.naturalWidth}x${picture.naturalHeight}`;
			}, src);
			expect([src, size]).toEqual([src, sizes]);
		}
	});

	it('has a service worker for all of /phone, which the server lets nobody keep old', async () => {
		expect(await scopeOfWorker()).toBe(`${bench.server.url}/phone`);
		await phone.page.reload();
		const script = await phone.page.evaluate(() => navigator.serviceWorker.controller?.scriptURL);
		expect(script).toBe(`${bench.server.url}/phone/sw.js`);
		const worker = await fetch(script!);
		expect(worker.headers.get('cache-control')).toBe('no-cache');
		expect(worker.headers.get('service-worker-allowed')).toBe('/phone');
		expect(worker.headers.get('content-security-policy')).toContain("script-src 'self'");
		const page = await fetch(`${bench.server.url}/phone`);
		expect(page.headers.get('cache-control')).toBe('no-cache');
		const asset = /\/phone\/assets\/[\w.-]+\.js/.exec(await page.text())![0];
		expect((await fetch(bench.server.url + asset)).headers.get('cache-control')).toBe(
			'public, max-age=31536000, immutable',
		);
	});

	it('shows the last state when the network is gone, says so, and its timers go on', async () => {
		await bench.api.push({ title: 'Before the tunnel', badge: 2 });
		await bench.api.stream('bread', BREAD);
		await bench.api.stream('deploy', DEPLOY);
		await phone.activity('Deploy shop 4.2.0').waitFor();
		await phone.kept(
			'saved',
			(saved) => saved.includes('Before the tunnel') && saved.includes('Deploy'),
		);
		await opened.context.setOffline(true);
		await phone.page.reload();
		await phone.notification('Before the tunnel').waitFor();
		await phone.page.getByText('Offline').first().waitFor();
		await phone.page.getByText(/^as of \d/).waitFor();
		expect(await phone.badge().innerText()).toBe('2');
		const timer = phone.activity('Sourdough').getByRole('timer');
		const first = await timer.innerText();
		await eventually(async () => expect(await timer.innerText()).not.toBe(first));
		await phone.screenshots('offline');
	});

	it('catches up when it returns', async () => {
		await bench.api.push({ title: 'In the tunnel' });
		await bench.api.stream('deploy', { current_step: 5 });
		await opened.context.setOffline(false);
		await phone.live();
		await phone.notification('In the tunnel').waitFor();
		await eventually(async () =>
			expect(await phone.activity('Deploy shop 4.2.0').innerText()).toMatch(/5\s*\/5/),
		);
		expect(await phone.page.getByText(/^as of/).count()).toBe(0);
	});

	it('takes a newer version over, keeps nothing of the old one, and starts anew unseen', async () => {
		const kept = () => phone.page.evaluate(() => caches.keys());
		const [current] = await kept();
		expect(current).toMatch(/^beckon-shell-[0-9a-f]{12}$/);
		await phone.page.evaluate(async () => {
			await caches.open('beckon-shell-old');
			// Another address is another worker: it takes over as a newer version would.
			await navigator.serviceWorker.register('/phone/sw.js?newer', { scope: '/phone' });
		});
		await eventually(async () => expect(await kept()).toEqual([current]));
		await eventually(async () =>
			expect(
				await phone.page.evaluate(() => navigator.serviceWorker.controller?.scriptURL),
			).toContain('?newer'),
		);
		const loaded = phone.page.waitForEvent('load');
		await phone.hide();
		await loaded;
		await phone.live();
	});
});
