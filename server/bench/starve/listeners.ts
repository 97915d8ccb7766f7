import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { keyOf, tokenOf } from '../api/seed.ts';
import { MANY_PHONES } from './open-pages.ts';

/**
 * Listens to triggers as n8n does, in a separate process so that it slows only the server. Says when all wait for
 * taps. On a message it taps the button of each as fast as it may, and says when all taps are done.
 */
const TRIGGERS = 500;

const SESSION = 'session-of-the-bench';

/** Taps of one phone under way: the server refuses more. */
const AT_ONCE = 10;

/** For the last requests to reach the server. */
const SETTLE_MS = 1_000;

const [url = ''] = process.argv.slice(2);
const key = keyOf(MANY_PHONES.first);
const phone = tokenOf(MANY_PHONES.first);

/** Triggers whose tap is not done. */
let left = 0;

async function call<T>(method: string, path: string, token: string, body?: object): Promise<T> {
	const answer = await fetch(url + path, {
		method,
		headers: {
			authorization: `Bearer ${token}`,
			...(body && { 'content-type': 'application/json' }),
		},
		...(body && { body: JSON.stringify(body) }),
	});
	if (!answer.ok) throw new Error(`${path} ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as T;
}

async function listen(trigger: string): Promise<void> {
	for (let after = 0; ;) {
		const { taps } = await call<{ taps: Array<{ tap_id: string; number: number }> }>(
			'GET',
			`${trigger}/taps?session=${SESSION}&wait=50&after=${after}`,
			key,
		);
		if (taps.length === 0) continue;
		after = taps.at(-1)?.number ?? after;
		await call('POST', `${trigger}/done`, key, { taps: taps.map(({ tap_id: id }) => id) });
		left -= taps.length;
		if (left === 0) process.send?.('done');
	}
}

const pathOf = (n: number) => `/api/triggers/trg_${String(n).padStart(43, '0')}`;

for (let n = 0; n < TRIGGERS; n += 1) {
	await call('PUT', pathOf(n), key, { name: `Trigger ${n}`, session: SESSION });
	await call('POST', '/api/push-notification', key, {
		title: 'Tap me',
		actions: [
			{
				title: 'Go',
				type: 'webhook',
				url: `https://beckon.example.com${pathOf(n)}?every_tap=true`,
			},
		],
	});
	// The server has stopped.
	void listen(pathOf(n)).catch(() => process.exit());
}
const buttons: number[] = [];
for (let after = 0, more = true; more;) {
	const inbox = await call<{ deliveries: Array<{ id: number }>; cursor: number; more: boolean }>(
		'GET',
		`/device/inbox?after=${after}`,
		phone,
	);
	buttons.push(...inbox.deliveries.map(({ id }) => id));
	({ cursor: after, more } = inbox);
}
await setTimeout(SETTLE_MS);
process.on('message', () => {
	left = TRIGGERS;
	const waiting = [...buttons];
	const tapNext = async () => {
		for (let button = waiting.pop(); button !== undefined; button = waiting.pop())
			await call('POST', '/device/taps', phone, {
				tap_id: randomUUID(),
				delivery_id: button,
				action: 0,
			});
	};
	void Promise.all(Array.from({ length: AT_ONCE }, tapNext));
});
process.send?.('listening');
process.once('disconnect', () => process.exit());
