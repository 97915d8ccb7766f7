import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { eventually } from './support/browser.ts';
import { ClosedPhone } from './support/closed-phone.ts';
import { DEPLOY } from './support/examples.ts';
import type { Api } from './support/server.ts';

/** Taps on the notifications of a phone with a closed page. */
describe('a notification', () => {
	let bench: Bench;
	let api: Api;
	let closed: ClosedPhone;
	let token: string;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		({ api } = bench);
		closed = await ClosedPhone.of(bench);
		const { context } = bench.opened;
		await context.grantPermissions(['notifications'], { origin: bench.server.url });
		await bench.pair();
		const { page } = bench.phone;
		await bench.phone.setting('Notifications').and(page.locator('[aria-checked=true]')).waitFor();
		token = await page.evaluate(() => localStorage.getItem('beckon.device') ?? '');
		await page.goto('about:blank');
		await closed.takesOver(() => api.push({ title: 'Is it closed?' }));
		await closed.noted();
	});

	beforeEach(async () => {
		await closed.clear();
		await (
			await closed.worker()
		).evaluate(() => {
			(globalThis as unknown as { noted: { opened: string[] } }).noted.opened.length = 0;
		});
		bench.hooks.calls.length = 0;
	});

	afterAll(async () => {
		await closed.close();
		await bench.close();
	});

	const opened = async () => (await closed.noted()).opened;
	const snapshot = async () => {
		const response = await fetch(`${bench.server.url}/device/snapshot`, {
			headers: { authorization: `Bearer ${token}` },
		});
		return (await response.json()) as { notifications: unknown[]; activities: unknown[] };
	};
	const webhook = (title: string, path: string) => ({
		title,
		type: 'webhook',
		url: bench.hooks.url(path),
	});

	it('opens what it points to, and goes', async () => {
		await api.push({ title: 'Order', redirection: 'https://example.com/7' });
		await closed.tap('Order');
		expect(await opened()).toEqual(['https://example.com/7']);
		expect(await closed.notifications()).toEqual([]);
	});

	it('opens the phone where it points to nothing, or to an app', async () => {
		await api.push({ title: 'Nothing' });
		await closed.tap('Nothing');
		await api.push({ title: 'App', redirection: 'shortcuts://run' });
		await closed.tap('App');
		expect(await opened()).toEqual(['/phone', '/phone']);
	});

	it.each([
		['javascript:alert(1)', 'target'],
		['data:text/html,x', 'target'],
		['java\nscript:alert(1)', 'button'],
		['//example.com', 'button'],
	])('never opens %j, whoever has sent it, as a %s', async (url, place) => {
		await api.push({ title: 'Checked by the server' });
		const { message } = structuredClone(closed.service.received.at(-1)!);
		const { data } = message.notification;
		data.id += 1_000 + Math.floor(Math.random() * 1_000_000);
		data.push.title = 'Changed';
		message.notification.tag = 'changed';
		if (place === 'target') data.push.redirection = url;
		else data.push.actions = [{ title: 'Open', type: 'open_url', url }];
		await closed.hand(message);
		await closed.tap('Changed', place === 'button' ? '0' : '');
		expect(await opened()).toEqual(['/phone']);
	});

	it('calls the webhook of its button through the server, once', async () => {
		const actions = [webhook('Accept', '/accept'), webhook('Refuse', '/refuse')];
		await api.push({ title: 'Deploy?', actions });
		await closed.tap('Deploy?', '1');
		expect(bench.hooks.calls).toMatchObject([{ method: 'POST', path: '/refuse' }]);
		await eventually(async () =>
			expect(await closed.notifications()).toMatchObject([
				{ title: 'Deploy?', body: expect.stringMatching(/^✓ “Refuse” by /), silent: true },
			]),
		);
		expect(await opened()).toEqual([]);
	});

	it('shows the one answer in its place, without buttons, when another phone gives it', async () => {
		const actions = [webhook('Approve', '/final'), webhook('Decline', '/final')];
		await api.push({ title: 'Release?', message: 'Version 4.2', actions });
		const asked = await closed.notification('Release?');
		expect(asked.actions).toHaveLength(2);
		const { notifications } = await snapshot();
		await fetch(`${bench.server.url}/device/taps`, {
			method: 'POST',
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			body: JSON.stringify({
				tap_id: crypto.randomUUID(),
				delivery_id: (notifications[0] as { id: number }).id,
				action: 0,
			}),
		});
		await eventually(async () =>
			expect(await closed.notification('Release?')).toMatchObject({
				body: expect.stringMatching(/^✓ Approved by .*\nVersion 4\.2$/),
				tag: asked.tag,
				silent: true,
				actions: [],
			}),
		);
	});

	it('shows no tick for a tap that came too late, but who was faster', async () => {
		const actions = [webhook('Approve', '/final'), webhook('Decline', '/final')];
		await api.push({ title: 'Late?', actions });
		const { message } = structuredClone(closed.service.received.at(-1)!);
		await closed.tap('Late?', '0');
		await closed.clear();
		// As shown by a phone that has not heard of the answer.
		message.notification.data.id += 1_000_000;
		const asked = message.notification.data.id - 1_000_000;
		message.notification.data = {
			...message.notification.data,
			kind: 'push_update',
			delivery_id: asked,
		};
		await closed.hand(message);
		await closed.tap('Late?', '1');
		const { body } = await closed.notification('Late?');
		expect(body).toMatch(/^Already answered: Approved by /);
		expect(bench.hooks.calls).toHaveLength(1);
	});

	it('says so where the webhook fails', async () => {
		await api.push({ title: 'Deploy?', actions: [webhook('Accept', '/fail/accept')] });
		await closed.tap('Deploy?', '0');
		expect(await closed.notification('Deploy?')).toMatchObject({
			body: '“Accept” failed. The webhook failed (status 503). Try again in a moment.',
			actions: [{ action: '0', title: 'Accept' }],
		});
	});

	it('is snoozed where it has room for the buttons, and leaves the lock screen', async () => {
		await api.push({ title: 'Later' });
		expect(await closed.notification('Later')).toMatchObject({
			actions: [
				{ action: 'snooze:hour', title: 'In an hour' },
				// The next one by the clock.
				{ action: expect.stringMatching(/^snooze:(tonight|morning)$/) },
			],
		});
		const before = (await snapshot()).notifications.length;
		await closed.tap('Later', 'snooze:hour');
		expect((await snapshot()).notifications).toHaveLength(before - 1);
		expect(await opened()).toEqual([]);
	});

	it('opens the page of its button, and reports the tap', async () => {
		const action = { title: 'Open log', type: 'open_url', url: 'https://example.com/log' };
		await api.push({ title: 'Deployed', actions: [action] });
		await closed.tap('Deployed', '0');
		expect(await opened()).toEqual(['https://example.com/log']);
	});

	it('of a Live Activity has its buttons too, and stays', async () => {
		await api.stream('deploy', DEPLOY, {
			action: webhook('Pause', '/pause'),
			secondary_action: webhook('Roll back', '/rollback'),
		});
		await closed.tap('Deploy shop 4.2.0', 'secondary_action');
		expect(bench.hooks.calls).toMatchObject([{ path: '/rollback' }]);
		expect(await closed.notifications()).toHaveLength(1);
	});

	it('that is swiped away leaves the lock screen', async () => {
		await api.push({ title: 'Away with it' });
		const before = (await snapshot()).notifications.length;
		await closed.swipeAway('Away with it');
		expect((await snapshot()).notifications).toHaveLength(before - 1);
		await api.stream('deploy', { current_step: 4 });
		await closed.swipeAway('Deploy shop 4.2.0');
		expect((await snapshot()).activities).toEqual([]);
	});

	it('keeps a tap while the server cannot be reached, and reports it once when it can', async () => {
		await api.push({ title: 'Deploy?', actions: [webhook('Accept', '/later')] });
		await closed.notification('Deploy?');
		await bench.server.stop();
		await closed.tap('Deploy?', '0');
		expect(bench.hooks.calls).toEqual([]);
		await bench.server.start();
		await closed.sync();
		await eventually(() => expect(bench.hooks.calls).toMatchObject([{ path: '/later' }]));
		await closed.sync();
		await api.push({ title: 'Wakes it again' });
		await closed.notification('Wakes it again');
		expect(bench.hooks.calls).toHaveLength(1);
	});

	it('comes again after the browser has renewed its subscription', async () => {
		const worker = await closed.worker();
		const renewed = closed.service.subscribe('renewed');
		await worker.evaluate(async (given) => {
			const { pushManager } = (globalThis as unknown as { registration: ServiceWorkerRegistration })
				.registration;
			pushManager.getSubscription = async () => null;
			pushManager.subscribe = async () => ({ toJSON: () => given }) as unknown as PushSubscription;
			const work: Array<Promise<unknown>> = [];
			const event = Object.assign(new Event('pushsubscriptionchange'), {
				waitUntil: (promise: Promise<unknown>) => work.push(promise),
			});
			globalThis.dispatchEvent(event);
			await Promise.all(work);
		}, renewed);
		await api.push({ title: 'To the new one' });
		expect(closed.service.receivedBy('renewed')).toHaveLength(1);
	});
});
