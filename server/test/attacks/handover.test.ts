import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { categoryOf } from '../../src/contract/categories.ts';
import { snoozes } from '../../src/service/phones/snoozes.ts';
import { questionTimes } from '../../src/service/questions/due.ts';
import { quietSummaries } from '../../src/service/sending/quiet-summary.ts';
import { repeats } from '../../src/service/sending/repeats.ts';
import {
	type Bench,
	deliveriesOf,
	type Iphone,
	pairIphone,
	startBench,
} from '../gateways/support/phones.ts';
import { settleDue } from '../support/later.ts';
import { UNLIMITED } from '../support/samples.ts';
import type { TestAccount, TestPhone } from '../support/server.ts';
import { ASKED, done, onPhone, shows } from './support/team.ts';

/**
 * Attempts of what was meant for the former owner of a phone: it is paired anew, for another account, and nobody has taken
 * it back, since its app was deleted or its server was out of reach. What the push services then get for it is not for it.
 */

let bench: Bench;
let other: TestAccount;
beforeAll(async () => {
	bench = await startBench(UNLIMITED);
	other = await bench.server.addAccount();
});
// Pairing is limited.
beforeEach(() => wait(61));
afterAll(() => bench.close());

const SECRET = 'Secret';
const call = (...args: Parameters<Bench['server']['call']>) => done(bench.server.call(...args));
const settle = (kind: Parameters<typeof settleDue>[1]) => settleDue(bench.server.context, kind);
const push = (phone: TestPhone, more: object = {}) =>
	call('POST', '/push-notification', { title: SECRET, target: onPhone(phone), ...more });
const start = async (phone: TestPhone): Promise<string> => {
	const started = { ...shows('Build'), target: onPhone(phone) };
	return (await call('POST', '/live-activity/start', started))['activity_id'];
};
const change = (how: 'update' | 'end', activity_id: string) =>
	call('POST', `/live-activity/${how}`, { activity_id, ...shows(SECRET) });
const ask = async (phone: TestPhone, more: object = {}): Promise<string> =>
	(await call('POST', '/questions', { ...ASKED, title: SECRET, target: onPhone(phone), ...more }))[
		'question_id'
	];
const newest = async (phone: TestPhone) => (await phone.inbox()).at(-1).id as number;
const wait = (seconds: number) => bench.server.clock.advance(seconds);
const HOUR = { time_zone: 'Europe/Berlin' };

/** What is begun for the former owner. @returns what comes later */
type Deed = (old: Iphone) => Promise<() => Promise<unknown>>;

const DEEDS: Record<string, Deed> = {
	'a push': async (old) => async () => push(old),
	'a badge': async (old) => async () =>
		bench.server.call('POST', '/badge', { badge: 7, target: onPhone(old) }),
	'the start of a card': async (old) => async () =>
		call('POST', '/live-activity/start', { ...shows(SECRET), target: onPhone(old) }),
	'an update of a card, by the token of the card': async (old) => {
		const id = await start(old);
		await old.registerActivity(id);
		return () => change('update', id);
	},
	'the end of a card, by the token of the card': async (old) => {
		const id = await start(old);
		await old.registerActivity(id);
		return () => change('end', id);
	},
	'an update of a card on a channel of Apple’s that is its alone': async (old) => {
		const app = { layout: 'activity', channels: true, categories: [categoryOf([])] };
		await done(old.call('PUT', '/tokens', { app }));
		const id = await start(old);
		return () => change('update', id);
	},
	'an update of a card that is a notification, since iOS takes no more': async (old) => {
		const app = { layout: 'activity', channels: true, categories: [categoryOf([])] };
		await done(old.call('PUT', '/tokens', { app }));
		for (let n = 0; n < 10; n += 1) {
			const id = await start(old);
			await deliveriesOf(bench, old);
			await change('end', id);
			await deliveriesOf(bench, old);
		}
		const id = await start(old);
		await deliveriesOf(bench, old);
		return () => change('update', id);
	},
	'the withdrawal of a question': async (old) => {
		const id = await ask(old);
		return () => call('DELETE', `/questions/${id}`);
	},
	'the answer to a question': async (old) => {
		const id = await ask(old);
		return () =>
			done(old.call('POST', `/questions/${id}/answer`, { tap_id: randomUUID(), choice: 'yes' }));
	},
	'a reminder': async (old) => {
		await ask(old, { remind: { every_minutes: 1, times: 2 } });
		return async () => {
			wait(61);
			await settle(questionTimes);
		};
	},
	'a repeat': async (old) => {
		const sent = { title: SECRET, target: onPhone(old) };
		const repeat = { every_minutes: 1, times: 2 };
		await call('POST', '/push-notification/repeated', { push: sent, repeat });
		return async () => {
			wait(61);
			await settle(repeats);
		};
	},
	'the end of a snooze': async (old) => {
		await push(old);
		const delivery_id = await newest(old);
		await done(old.call('POST', '/snoozes', { delivery_id, until: 'hour', ...HOUR }));
		return async () => {
			wait(3_700);
			await settle(snoozes);
		};
	},
	'the summary of a quiet time': async (old) => {
		await done(old.call('PUT', '/quiet/mute', { mute: 'hour', ...HOUR }));
		await push(old);
		return async () => {
			wait(3_700);
			await settle(quietSummaries);
		};
	},
	'another attempt, since Apple was busy': async (old) => {
		bench.apns.fault = () => ({ status: 503, reason: 'ServiceUnavailable' });
		await push(old);
		await deliveriesOf(bench, old);
		bench.apns.fault = undefined;
		return async () => {
			wait(3_700);
			await bench.server.context.outbox.runOnce();
		};
	},
};

describe('an iPhone that another account has paired since gets, for who had it', () => {
	it.each(Object.keys(DEEDS))('%s', async (what) => {
		const { server, apns } = bench;
		const old = await pairIphone(server);
		const later = await DEEDS[what]!(old);
		await deliveriesOf(bench, old);
		const given = await server.pairPhone({ account: other.id, platform: 'ios' });
		const { pushToken: push_token, startToken: push_to_start_token, widgetToken } = old;
		const tokens = { push_token, push_to_start_token, widget_token: widgetToken };
		await done(given.call('PUT', '/tokens', tokens));
		const before = apns.taken.length;
		await later();
		await deliveriesOf(bench, old);
		expect(apns.taken.slice(before)).toEqual([]);
		await call(
			'POST',
			'/push-notification',
			{ title: 'Mine', target: onPhone(given) },
			{ key: other.key },
		);
		await deliveriesOf(bench, given);
		expect(apns.taken.slice(before).map(({ token }) => token)).toEqual([push_token]);
	});

	it('the last words of a card, by the token that its new owner reports for it', async () => {
		const old = await pairIphone(bench.server);
		const id = await start(old);
		await change('update', id);
		const given = await bench.server.pairPhone({ account: other.id, platform: 'ios' });
		await done(given.call('PUT', '/tokens', { push_token: old.pushToken }));
		const before = bench.apns.taken.length;
		const told = await given.call('PUT', `/activities/${id}/token`, { token: 'abcdef' });
		expect([told.status, bench.apns.taken.slice(before)]).toEqual([404, []]);
	});
});

/** What comes to a browser. */
const TO_BROWSER: Record<string, (old: TestPhone) => Promise<() => Promise<unknown>>> = {
	'a push': async (old) => async () => push(old),
	'an update of a card': async (old) => {
		const id = await start(old);
		return () => change('update', id);
	},
	'the withdrawal of a question': async (old) => {
		const id = await ask(old);
		return () => call('DELETE', `/questions/${id}`);
	},
	'another attempt, since its push service was busy': async (old) => {
		bench.pushService.fault = () => ({ status: 503 });
		await push(old);
		await deliveriesOf(bench, old);
		bench.pushService.fault = undefined;
		return async () => {
			wait(3_700);
			await bench.server.context.outbox.runOnce();
		};
	},
};

describe('a browser that another account has paired since gets, for who had it', () => {
	it.each(Object.keys(TO_BROWSER))('%s', async (what) => {
		const { server, pushService } = bench;
		const old = await server.pairPhone();
		const push_subscription = pushService.subscribe(randomUUID());
		await done(old.call('PUT', '/tokens', { push_subscription }));
		const later = await TO_BROWSER[what]!(old);
		await deliveriesOf(bench, old);
		const given = await server.pairPhone({ account: other.id });
		const { endpoint, keys } = push_subscription;
		// As another version of the page writes it.
		const again = { keys: { auth: keys.auth, p256dh: keys.p256dh }, endpoint };
		await done(given.call('PUT', '/tokens', { push_subscription: again }));
		const before = pushService.received.length;
		await later();
		await deliveriesOf(bench, old);
		expect(pushService.received.slice(before)).toEqual([]);
	});
});
