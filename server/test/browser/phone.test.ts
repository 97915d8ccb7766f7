import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { eventually } from './support/browser.ts';
import type { PhonePage } from './support/phone-page.ts';
import type { Api } from './support/server.ts';

/** One phone, from pairing to disconnecting; the steps build on each other. */
describe('the phone page', () => {
	let bench: Bench;
	let phone: PhonePage;
	let api: Api;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		({ phone, api } = bench);
	});

	afterAll(async () => {
		await bench.close();
	});

	describe('pairing', () => {
		it('says in the words of the server why a code is refused', async () => {
			await phone.page.goto(`${bench.server.url}/phone`);
			await phone.type('ZZZZ-9999');
			await phone.pair();
			await phone.page.getByText('This pairing code is wrong, was used already').waitFor();
			expect(bench.opened.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
			await phone.screenshots('pairing');
		});

		it('has a field for the code after a link whose code is wrong', async () => {
			await phone.page.goto('about:blank');
			await phone.page.goto(`${bench.server.url}/phone#code=ZZZZ9999`);
			await phone.page.getByText('Name this phone to finish pairing.').waitFor();
			expect(await phone.page.getByLabel('Pairing code').count()).toBe(0);
			await phone.pair();
			await phone.page.getByText('This pairing code is wrong, was used already').waitFor();
			expect(await phone.page.getByLabel('Pairing code').inputValue()).toBe('ZZZZ9999');
			expect(bench.opened.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
		});

		it('pairs by a typed code and is live at once, with nothing to show yet', async () => {
			const before = Date.now();
			await phone.type((await bench.newCode()).toLowerCase());
			await phone.pair();
			await phone.live();
			expect(Date.now() - before).toBeLessThan(8_000);
			await phone.page.getByText('No notifications.').waitFor();
			const devices = await bench.server.command('device', 'list', '--account', 'Bakery');
			expect(JSON.stringify(devices)).toContain('Chrome on Linux');
		});
	});

	describe('notifications', () => {
		it('show title, subtitle, message, icon and time, and a level', async () => {
			await api.push({
				title: 'Build 812 failed',
				subtitle: 'main · unit tests',
				message: '2 of 318 tests failed.',
				icon: 'https://example.com/face.png',
				interruption_level: 'time-sensitive',
			});
			const card = phone.notification('Build 812 failed');
			await card.waitFor();
			const text = await card.innerText();
			for (const part of ['main · unit tests', '2 of 318 tests failed.', 'now'])
				expect(text).toContain(part);
			expect(text.toLowerCase()).toContain('time sensitive');
			expect(await card.locator('.custom-icon > img').getAttribute('src')).toBe(
				'https://example.com/face.png',
			);
			expect(await phone.page.getByTestId('announcer').textContent()).toContain('Build 812 failed');
		});

		it('fall back to the app icon where the icon cannot be loaded', async () => {
			await api.push({ title: 'Faceless', icon: 'https://example.com/missing/face' });
			const card = phone.notification('Faceless');
			await card.locator('.app-icon.notification-icon').waitFor();
		});

		it('show what a sender wrote as text, never as HTML', async () => {
			const title = '<img src=x onerror="document.title=1"><b>bold</b>';
			await api.push({ title, message: '{{7*7}} </span><script>document.title=2</script>' });
			const card = phone.notification(title);
			await card.waitFor();
			expect(await card.innerText()).toContain('<script>document.title=2</script>');
			expect(await card.locator('b, script').count()).toBe(0);
		});

		it('preview media when expanded, and open it when tapped', async () => {
			await api.push({
				title: 'Fresh bread',
				media: 'https://example.com/bread.png',
				tags: ['shop', 'order:7'],
			});
			await phone.notification('Fresh bread').locator('.thumbnail').waitFor();
			await phone.expand('Fresh bread');
			const card = phone.notification('Fresh bread');
			await card.locator('img.media').waitFor();
			expect(await card.getByRole('listitem').allInnerTexts()).toEqual(['shop', 'order:7']);
			expect(await card.locator('a.notification-body').getAttribute('href')).toBe(
				'https://example.com/bread.png',
			);

			await api.push({
				title: 'Listen',
				media: 'https://example.com/song.wav',
				redirection: 'shortcuts://play',
			});
			await phone.expand('Listen');
			const audio = phone.notification('Listen').locator('audio');
			await audio.waitFor();
			expect(await audio.evaluate((element: HTMLAudioElement) => element.paused)).toBe(true);
			expect(
				await phone.notification('Listen').locator('a.notification-body').getAttribute('href'),
			).toBe('shortcuts://play');
		});

		it('stack the older ones behind the newest, and show them all on request', async () => {
			// One of them is Time Sensitive.
			expect(await phone.page.locator('.notification').count()).toBe(3);
			await phone.page.getByRole('button', { name: 'Show 2 more notifications' }).click();
			expect(await phone.page.locator('.notification').count()).toBe(5);
			await phone.page.getByRole('button', { name: 'Show less' }).click();
		});

		it('call webhooks through the server and say what came of it', async () => {
			await api.push({
				title: 'New order: €48.20',
				message: 'Pick-up tomorrow at 8:00.',
				badge: 3,
				actions: [
					{
						title: 'Accept',
						type: 'webhook',
						url: bench.hooks.url('/accept'),
						method: 'POST',
						body: { order: 7 },
					},
					{ title: 'Refuse', type: 'webhook', url: bench.hooks.url('/fail/refuse'), method: 'GET' },
					{ title: 'Look', type: 'open_url', url: 'https://example.com/order/7' },
				],
			});
			await phone.expand('New order: €48.20');
			const card = phone.notification('New order: €48.20');
			await phone.tap(card.getByRole('button', { name: 'Accept' }));
			await card.locator('.action-result[data-kind=called]').waitFor();
			expect(bench.hooks.calls.splice(0)).toEqual([
				{ method: 'POST', path: '/accept', body: '{"order":7}' },
			]);

			await card.getByRole('button', { name: 'Refuse' }).click();
			await card.getByText('503').waitFor();
			expect(bench.hooks.calls.splice(0)).toMatchObject([{ method: 'GET', path: '/fail/refuse' }]);
			await phone.screenshots('notification-expanded');
		});

		it('open links in a new tab that cannot reach the page, and report the tap', async () => {
			const link = phone.notification('New order: €48.20').getByRole('link', { name: 'Look' });
			const [popup, tap] = await Promise.all([
				bench.opened.context.waitForEvent('page'),
				phone.page.waitForResponse('**/device/taps'),
				link.click(),
			]);
			await popup.waitForURL('https://example.com/order/7');
			expect(await popup.evaluate(() => window.opener === null)).toBe(true);
			expect(await tap.json()).toMatchObject({
				outcome: 'open',
				url: 'https://example.com/order/7',
			});
			await popup.close();
		});

		it('go when they are closed or swiped away, and stay away', async () => {
			const listen = phone.notification('New order: €48.20');
			await phone.dismiss('notification', 'New order: €48.20');
			await eventually(async () => expect(await listen.count()).toBe(0));

			const bread = phone.notification('Fresh bread');
			const box = (await bread.boundingBox())!;
			await phone.page.mouse.move(box.x + 200, box.y + 30);
			await phone.page.mouse.down();
			await phone.page.mouse.move(box.x + 20, box.y + 32, { steps: 6 });
			await phone.page.mouse.up();
			await eventually(async () => expect(await bread.count()).toBe(0));
			expect(bench.opened.context.pages()).toHaveLength(1);

			await phone.page.reload();
			await phone.live();
			expect(await phone.page.locator('.notification').count()).toBeGreaterThan(0);
			await eventually(async () => expect(await bread.count()).toBe(0));
			await eventually(async () => expect(await listen.count()).toBe(0));
		});
	});

	describe('the badge', () => {
		it('comes with a push, is set and is cleared', async () => {
			expect(await phone.badge().innerText()).toBe('3');
			await api.badge(1204);
			await eventually(async () => expect(await phone.badge().innerText()).toBe('1,204'));
			expect(await phone.page.title()).toBe('(1204) Beckon');
			await api.badge(0);
			await eventually(async () => expect(await phone.badge().count()).toBe(0));
		});

		it('is cleared by the person, also after a reload', async () => {
			await api.badge(7);
			await phone.page.getByRole('button', { name: 'Clear the badge (7)' }).click();
			await eventually(async () => expect(await phone.badge().count()).toBe(0));
			await phone.page.reload();
			await phone.live();
			expect(await phone.badge().count()).toBe(0);
		});
	});

	describe('the end', () => {
		it('broke no rule of its content security policy, and raised no error', () => {
			expect(bench.opened.complaints).toEqual([]);
		});

		it('ends when the person disconnects the phone', async () => {
			await phone.page.getByRole('button', { name: 'Disconnect this phone' }).click();
			await phone.page.getByRole('button', { name: 'Disconnect', exact: true }).click();
			await phone.page.getByLabel('Pairing code').waitFor();
			expect(await phone.page.evaluate(() => localStorage.getItem('beckon.device'))).toBeNull();
		});
	});
});
