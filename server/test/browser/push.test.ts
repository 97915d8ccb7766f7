import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { eventually } from './support/browser.ts';
import { ClosedPhone } from './support/closed-phone.ts';
import { BACKUP, DEPLOY } from './support/examples.ts';
import type { PhonePage } from './support/phone-page.ts';
import type { Api } from './support/server.ts';

/** Server → encrypted push → decrypted → service worker → notification. */
describe('a phone whose page is closed', () => {
	let bench: Bench;
	let phone: PhonePage;
	let api: Api;
	let closed: ClosedPhone;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		({ phone, api } = bench);
		closed = await ClosedPhone.of(bench);
		await bench.pair();
	});

	afterAll(async () => {
		expect(closed.service.mistakes).toEqual([]);
		await closed.close();
		await bench.close();
	});

	/** Closes the page, and waits until the server knows. */
	const leave = async () => {
		await phone.page.goto('about:blank');
		await closed.takesOver(() => api.push({ title: 'Is it closed?' }));
	};
	const open = async () => {
		await phone.page.goto(`${bench.server.url}/phone`);
		await phone.live();
	};

	describe('before it is closed', () => {
		it('asks whether it may notify, after the second tap, and only at a third', async () => {
			expect(await phone.page.evaluate(() => Notification.permission)).toBe('default');
			const card = phone.page.getByRole('region', { name: 'Notifications on this phone' });
			await card.waitFor();
			await phone.screenshots('allow');
			// The browser's own prompt, which nobody can answer here.
			const origin = bench.server.url;
			await bench.opened.context.grantPermissions(['notifications'], { origin });
			await card.getByRole('button', { name: 'Allow notifications' }).click();
			await phone.setting('Notifications').and(phone.page.locator('[aria-checked=true]')).waitFor();
			expect(await card.count()).toBe(0);
		});

		it('calls no push service, for the page shows everything itself', async () => {
			await api.push({ title: 'Look at me' });
			await phone.notification('Look at me').waitFor();
			expect(closed.service.received).toEqual([]);
		});

		it('leaves it to the push service as soon as nobody looks at it', async () => {
			await phone.hide();
			// The worker believes the browser, for which the page is still on the screen.
			await eventually(async () => {
				await api.push({ title: 'Nobody looks' });
				expect(closed.service.received.length).toBeGreaterThan(0);
			});
			await phone.unhide();
			await phone.live();
			await phone.notification('Nobody looks').first().waitFor();
		});
	});

	describe('shows a push', () => {
		beforeAll(leave);

		it('and each of twenty that come at once', async () => {
			await api.push({ title: 'First' });
			await closed.notification('First');
			const { message } = closed.service.received.at(-1)!;
			for (let round = 1; round <= 5; round += 1) {
				const copies = Array.from({ length: 20 }, (_, n) => {
					const copy = structuredClone(message);
					copy.notification.data.id += round * 1_000_000 + n;
					copy.notification.tag = `copy ${n}`;
					copy.notification.data.push.title = `Copy ${n}`;
					return copy;
				});
				await closed.clear();
				await Promise.all(copies.map((copy) => closed.hand(copy)));
				const shown = (await closed.notifications()).map(({ title }) => title);
				expect(shown.sort()).toEqual(
					copies.map((copy) => copy.notification.data.push.title).sort(),
				);
			}
			await closed.clear();
		});
		beforeEach(() => closed.clear());

		it('with title, texts, icon, picture and buttons', async () => {
			await api.push({
				title: 'New order',
				subtitle: '2 × Sourdough',
				message: 'Pick-up at 8:00.',
				icon: 'https://example.com/face.png',
				actions: [
					{ title: 'Accept', type: 'webhook', url: bench.hooks.url('/accept') },
					{ title: 'Open', type: 'open_url', url: 'https://example.com/7' },
				],
			});
			expect(await closed.notification('New order')).toMatchObject({
				body: '2 × Sourdough\nPick-up at 8:00.',
				icon: 'https://example.com/face.png',
				silent: false,
				actions: [
					{ action: '0', title: 'Accept' },
					{ action: '1', title: 'Open' },
				],
			});
			await api.push({ title: 'Fresh bread', media: 'https://example.com/bread.png' });
			expect(await closed.notification('Fresh bread')).toMatchObject({
				image: 'https://example.com/bread.png',
				icon: `${bench.server.url}/phone/icons/icon-192.png`,
			});
		});

		it('that is repeated in place of the one before, and alerts again', async () => {
			await api.push({ title: 'Water in the cellar' });
			await closed.notification('Water in the cellar');
			// The next delivery of the same push, which the server makes a minute later at the earliest.
			const { message } = structuredClone(closed.service.received.at(-1)!);
			message.notification.data.id += 10_000_000;
			await closed.hand(message);
			expect(await closed.notifications()).toMatchObject([
				{ title: 'Water in the cellar', silent: false, renotify: true },
			]);
		});

		it('until its sender clears it', async () => {
			await api.push({ title: 'Stays' });
			await api.push({ title: 'Backup runs' });
			await closed.notification('Stays');
			await closed.notification('Backup runs');
			const received = closed.service.received.map(({ message }) => message);
			const cleared = structuredClone(received.at(-1));
			const { data } = cleared.notification;
			if (data.kind !== 'push') throw new Error('It is no push');
			const { id, push } = data;
			Object.assign(data, {
				id: id + 20_000_000,
				kind: 'push_update',
				delivery_id: id,
				push: { ...push, cleared: true },
			});
			await closed.hand(cleared);
			expect((await closed.notifications()).map(({ title }) => title)).toEqual(['Stays']);
		});

		it('without a sound where the sender or the person wants none', async () => {
			await api.push({ title: 'Quiet', sound: 'none' });
			expect(await closed.notification('Quiet')).toMatchObject({ silent: true });
			await open();
			await phone.toggleSound();
			await leave();
			await api.push({ title: 'Set to quiet' });
			expect(await closed.notification('Set to quiet')).toMatchObject({ silent: true });
			await open();
			await phone.toggleSound();
			await leave();
		});

		it('as text, whatever the sender wrote', async () => {
			const title = '<img src=x onerror=alert(1)>';
			await api.push({ title });
			await closed.notification(title);
		});

		it('and the badge with it, the last one of those that came without', async () => {
			await closed.noted();
			await api.badge(4);
			await api.badge(7);
			await api.push({ title: 'With badge' });
			await closed.notification('With badge');
			expect((await closed.noted()).badges).toEqual([7]);
			await api.push({ title: 'Clears it', badge: 0 });
			await closed.notification('Clears it');
			expect((await closed.noted()).badges).toEqual([7, 0]);
		});

		it('once, although the push service brings it twice and it was swiped away', async () => {
			await api.push({ title: 'Twice' });
			await closed.notification('Twice');
			await closed.clear();
			await closed.deliver(closed.service.received.at(-1)!.message);
			await api.push({ title: 'After it' });
			await closed.notification('After it');
			expect((await closed.notifications()).map(({ title }) => title)).toEqual(['After it']);
		});

		it('not at all where the page has shown it before', async () => {
			await open();
			await api.push({ title: 'On the page' });
			await phone.notification('On the page').waitFor();
			await leave();
			await api.push({ title: 'Later' });
			const { message } = structuredClone(closed.service.received.at(-1)!);
			await closed.notification('Later');
			message.notification.data.id -= 1;
			message.notification.data.push.title = 'On the page';
			await closed.deliver(message);
			await api.push({ title: 'Last' });
			await closed.notification('Last');
			expect((await closed.notifications()).map(({ title }) => title).sort()).toEqual([
				'Last',
				'Later',
			]);
		});
	});

	describe('shows a Live Activity', () => {
		beforeAll(() => closed.clear());

		it('as one notification that changes in its place, quietly', async () => {
			await api.stream('backup', BACKUP);
			await closed.notification('Nightly backup');
			await api.stream('backup', { value: 150 });
			await eventually(async () => {
				expect(await closed.notifications()).toMatchObject([
					{
						title: 'Nightly backup',
						body: '75% · photos → archive',
						silent: true,
						renotify: false,
					},
				]);
			});
		});

		it('aloud when it has an alert', async () => {
			const alert = { title: 'Almost full', body: 'The archive has 5 GB left.' };
			await api.stream('backup', { value: 190 }, { alert });
			expect(await closed.notification('Almost full')).toMatchObject({
				body: 'The archive has 5 GB left.\n95% · photos → archive',
				silent: false,
				renotify: true,
			});
			expect(await closed.notifications()).toHaveLength(1);
		});

		it('beside others, with its buttons', async () => {
			const action = { title: 'Open log', type: 'open_url', url: 'https://example.com/log' };
			await api.stream('deploy', DEPLOY, { action });
			expect(await closed.notification('Deploy shop 4.2.0')).toMatchObject({
				body: 'Step 3 of 5 · production · Running the migrations',
				actions: [{ action: 'action', title: 'Open log' }],
			});
			expect(await closed.notifications()).toHaveLength(2);
		});

		it('until it is dismissed: at once, or when its time has come, by the server’s clock', async () => {
			await closed.setClockBack(3_600_000);
			await api.endStream('backup', { auto_dismiss_minutes: 0 });
			await eventually(async () => expect(await closed.notifications()).toHaveLength(1));
			await api.endStream('deploy', { auto_dismiss_seconds: 1 });
			await eventually(async () =>
				expect((await closed.notification('Deploy shop 4.2.0')).body).toContain('Ended'),
			);
			await eventually(async () => {
				await api.push({ title: 'Wakes the worker' });
				const titles = (await closed.notifications()).map(({ title }) => title);
				expect(titles).not.toContain('Deploy shop 4.2.0');
			});
			await closed.setClockBack(0);
		});
	});

	describe('when it is opened', () => {
		it('shows what came, and the system’s notifications go', async () => {
			await api.push({ title: 'In both places' });
			await closed.notification('In both places');
			await open();
			await phone.notification('In both places').waitFor();
			await eventually(async () => expect(await closed.notifications()).toEqual([]));
		});

		it('subscribes anew when the server has another key', async () => {
			await phone.page.evaluate(() => localStorage.setItem('test.push', '[4,1,2]'));
			await phone.page.reload();
			await eventually(async () => {
				const kept = await phone.page.evaluate(() => localStorage.getItem('test.push'));
				expect(JSON.parse(kept!)).toHaveLength(65);
			});
		});

		it('subscribes anew when its push service has ended the subscription', async () => {
			await leave();
			let hasEnded = false;
			closed.service.fault = () => {
				hasEnded = true;
				return { status: 410 };
			};
			await api.push({ title: 'To nobody' });
			await eventually(() => expect(hasEnded).toBe(true));
			closed.service.fault = undefined;
			await open();
			await phone.notification('To nobody').waitFor();
			await leave();
			await open();
		});

		it('asks with one button where the browser subscribes only in answer to a tap', async () => {
			await phone.page.evaluate(() => {
				localStorage.removeItem('test.push');
				localStorage.setItem('test.refusal', 'NotAllowedError');
			});
			await phone.page.reload();
			const card = phone.page.getByRole('region', { name: 'Notifications on this phone' });
			await card.getByText('Notifications have stopped').waitFor();
			await phone.page.evaluate(() => localStorage.removeItem('test.refusal'));
			await card.getByRole('button', { name: 'Allow notifications' }).click();
			await eventually(async () =>
				expect(await phone.page.evaluate(() => localStorage.getItem('test.push'))).not.toBeNull(),
			);
			await eventually(async () => expect(await card.count()).toBe(0));
		});

		it('says so where the browser’s push service refuses, although it is allowed', async () => {
			await phone.page.evaluate(() => {
				localStorage.removeItem('test.push');
				localStorage.setItem('test.refusal', 'AbortError');
			});
			await phone.page.reload();
			const card = phone.page.getByRole('region', { name: 'Notifications on this phone' });
			await card.getByText(/^Not turned on: Could not reach this browser’s push service/).waitFor();
			const window = phone.page.viewportSize()!;
			await phone.fitsEverywhere('push-failed');
			await phone.page.setViewportSize(window);
			await phone.page.evaluate(() => localStorage.removeItem('test.refusal'));
			await card.getByRole('button', { name: 'Try again' }).click();
			await card.waitFor({ state: 'detached' });
			expect(await phone.page.evaluate(() => localStorage.getItem('test.push'))).not.toBeNull();
		});

		it('broke no rule of its content security policy, and raised no error', () => {
			expect(bench.opened.complaints).toEqual([]);
		});

		it('gives the subscription back when the phone is disconnected', async () => {
			await phone.page.getByRole('button', { name: 'Disconnect this phone' }).click();
			await phone.page.getByRole('button', { name: 'Disconnect', exact: true }).click();
			await phone.page.getByLabel('Pairing code').waitFor();
			await eventually(async () =>
				expect(await phone.page.evaluate(() => localStorage.getItem('test.push'))).toBeNull(),
			);
		});
	});
});
