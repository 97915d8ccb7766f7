import { hash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { activityExpiry } from '../../src/service/activities/requests.ts';
import { send } from '../senders/support/send.ts';
import { settleDue } from '../support/later.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities, type TestPhone } from '../support/server.ts';
import { ASKED, cardsOn, done, shows, startTeam, type Team } from './support/team.ts';

/**
 * Attempts where a card has several authors: a limited key writes the words, something else happens to the card, and
 * another key sends its button; a limited key takes the card of an alert before it fires; a member sends on what others
 * have put there. Ada is in `ops`, Bob in `sales`.
 */

let team: Team;
let receiver: Receiver;
let alerts: string;
beforeAll(async () => {
	receiver = await startReceiver((_request, response) => response.end('{}'));
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
	alerts = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await endActivities({ ...team.server, phone: team.ada });
	await endActivities({ ...team.server, phone: team.bob });
	later(60);
	receiver.received.length = 0;
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const later = (seconds = 1) => team.server.clock.advance(seconds);
const approve = () => ({ title: 'Approve', type: 'webhook', url: receiver.url });
const ORDER = 'Delete production?';
const COFFEE = 'Coffee?';
const COFFEE_WORDS = { content_state: { type: 'alert', title: COFFEE, message: COFFEE } };
/** The newest card of a stream: one that has ended may still be beside it. */
const cardOn = async (phone: TestPhone, key: string) =>
	(await phone.snapshot()).activities
		.filter((one: any) => one.stream_key === key)
		.sort((a: any, b: any) => Date.parse(b.started_at) - Date.parse(a.started_at))
		.at(0);
const fresh = () => {
	const key = team.unique('card').replace(' ', '-');
	return { key, path: `/live-activity/stream/${key}` };
};
type Stream = ReturnType<typeof fresh> & { limited: string };

/** Ada taps whatever the card offers. @returns whether that reaches a program beside words of the limited key */
async function isMisled({ key }: Stream): Promise<boolean> {
	later();
	const card = await cardOn(team.ada, key);
	for (const action of ['action', 'secondary_action'])
		await team.ada.call('POST', '/taps', {
			...{ tap_id: randomUUID(), activity_id: card.activity_id, action },
			updated_at: card.updated_at,
		});
	return JSON.stringify(card.content_state).includes(COFFEE) && receiver.received.length > 0;
}

/** What happens to the card between the words of the limited key and the button of the other. */
const BETWEEN: Record<string, (stream: Stream) => Promise<unknown>> = {
	'a pause and a resume': async ({ key }) => {
		await done(team.olga.call('POST', `/streams/${key}/pause`));
		later();
		await done(team.olga.call('POST', `/streams/${key}/resume`));
	},
	'a pause, in which the limited key writes again, and a resume': async ({
		key,
		path,
		limited,
	}) => {
		await done(team.olga.call('POST', `/streams/${key}/pause`));
		await call('PUT', path, { content_state: { subtitle: COFFEE } }, { key: limited });
		await done(team.olga.call('POST', `/streams/${key}/resume`));
	},
	'the eight hours after which it ends': async () => {
		later(8 * 3_600 + 60);
		await settleDue(team.server.context, activityExpiry);
	},
	'the time after which it begins anew': async ({ path }) => {
		later(7.8 * 3_600);
		await call('PUT', path, { content_state: {}, channels: ['ops'] });
	},
	'the revocation of the limited key': ({ limited }) =>
		team.server.revokeKey(team.server.account.id, limited),
	'a word of the other key, without a button': ({ path }) =>
		call('PUT', path, { content_state: { title: ORDER }, channels: ['ops'] }),
	'an alert of the other key, without a button': ({ path }) =>
		call('PUT', path, { content_state: {}, alert: { title: ORDER }, channels: ['ops'] }),
	'a link of the other key': async ({ path }) => {
		const link = { title: 'Details', type: 'open_url', url: 'https://example.com' };
		await team.server.call('PUT', path, { content_state: {}, action: link, channels: ['ops'] });
	},
	'another order of both channels': ({ path, limited }) =>
		call('PUT', path, { ...COFFEE_WORDS, channels: ['ops'] }, { key: limited }),
	'the wish of everybody to see it no more': async ({ key }) => {
		const { activity_id } = await cardOn(team.ada, key);
		await done(team.ada.call('POST', '/dismissals', { activity_id }));
		await team.server.call('PUT', `/live-activity/stream/${key}`, {
			...{ content_state: {}, alert: { title: ORDER }, channels: ['ops'] },
		});
	},
	'an end by its id, after which the stream goes on': async ({ key }) => {
		const { activity_id } = await cardOn(team.ada, key);
		await call('POST', '/live-activity/end', { activity_id, content_state: {} });
		await team.server.call('PUT', `/live-activity/stream/${key}`, {
			...{ content_state: {}, channels: ['ops'] },
		});
	},
};

/** How the other key sends its button, with no more words than have changed. */
const BUTTONS = {
	'its button': () => ({ content_state: {}, action: approve() }),
	'its second button': () => ({ content_state: {}, secondary_action: approve() }),
};

describe('somebody approves what they have not seen: words of a limited key, and beside them', () => {
	const rows = Object.keys(BETWEEN).flatMap((between) =>
		(Object.keys(BUTTONS) as Array<keyof typeof BUTTONS>).map(
			(button) => [button, between] as const,
		),
	);
	it.each(rows)('%s of another, after %s', async (button, between) => {
		const limited = await team.server.addKey(team.server.account.id, ['ops']);
		const stream = { ...fresh(), limited };
		await call('PUT', stream.path, { ...shows(ORDER), channels: ['ops'] });
		later();
		await call('PUT', stream.path, COFFEE_WORDS, { key: limited });
		later();
		await BETWEEN[between]!(stream);
		later();
		const sent = { ...BUTTONS[button](), channels: ['ops'] };
		const { status } = await team.server.call('PUT', stream.path, sent);
		expect([200, 400]).toContain(status);
		if (!(await cardOn(team.ada, stream.key)))
			await call('PUT', stream.path, { ...sent, ...shows(ORDER) });
		expect(await isMisled(stream)).toBe(false);
		receiver.received.length = 0;
		// All of its words, and the button: that is what Ada approves.
		await call('PUT', stream.path, {
			...sent,
			content_state: { ...shows(ORDER).content_state, message: ORDER, subtitle: '' },
		});
		expect([await isMisled(stream), receiver.received.length]).toEqual([false, 1]);
	});
});

describe('a limited key takes the card of a group of alerts before it fires', () => {
	const groupKey = '{}:{alertname="Disk"}';
	const one = { alertname: 'Disk', severity: 'critical' };
	const firing = {
		...{ groupKey, status: 'firing', groupLabels: { alertname: 'Disk' }, commonLabels: one },
		...{ commonAnnotations: {}, externalURL: 'https://alerts.example.com', truncatedAlerts: 0 },
		alerts: [{ status: 'firing', labels: one, annotations: { summary: 'Disk full' } }],
	};
	const key = `am-${hash('sha256', groupKey).slice(0, 32)}`;
	const path = `/live-activity/stream/${key}`;
	const byOps = () => ({ key: team.ops });

	/** What it does with the card. @returns what is to be undone */
	const TAKEN: Record<string, () => Promise<unknown>> = {
		'and keeps it': () => call('PUT', path, shows('Calm'), byOps()),
		'and asks on it': () =>
			call('POST', '/questions', { ...ASKED, live_activity: { stream_key: key } }, byOps()),
	};
	const LEFT: Record<string, () => Promise<unknown>> = {
		'and ends it': async () => {
			await call('PUT', path, shows('Calm'), byOps());
			await call('DELETE', path, undefined, byOps());
		},
		'and ends it by its id': async () => {
			const { activity_id } = await call('PUT', path, shows('Calm'), byOps());
			await call('POST', '/live-activity/end', { activity_id, content_state: {} }, byOps());
		},
		'and is answered on it': async () => {
			const { question_id: id } = await call(
				...([
					'POST',
					'/questions',
					{ ...ASKED, live_activity: { stream_key: key } },
					byOps(),
				] as const),
			);
			await call('DELETE', `/questions/${id}`, undefined, byOps());
		},
		'on the phone alone of somebody in its channel': async () => {
			const { phones } = await call('GET', '/phones', undefined, byOps());
			const channels = [(phones as any[])[0].slug];
			await call('PUT', path, { ...shows('Calm'), channels }, byOps());
			await call('DELETE', path, undefined, byOps());
		},
	};

	/** Whether Ada hears of the alert. */
	async function isLoud(): Promise<boolean> {
		const before = (await team.ada.inbox()).length;
		const { status } = await send(team.server, '/alertmanager', { key: alerts, body: firing });
		expect(status).toBe(200);
		const got = (await team.ada.inbox()).slice(before);
		expect(JSON.stringify(got)).toContain('Disk full');
		return got.some(({ alert, push }) => alert !== undefined || push !== undefined);
	}

	afterEach(async () => {
		for (const { push } of (await team.ada.snapshot()).questions)
			await team.server.call('DELETE', `/questions/${push.question.question_id}`);
		await team.server.call('DELETE', path);
	});

	// Low: the alert is shown, in red, but nobody hears it: alertsOnlyAtStart takes any card under the group's key for an earlier
	// state of the group. The key follows from groupKey, and GET /live-activity/streams lists it while the group fires. A limited
	// key of the same channel may end such cards anyway. Fix: senders/alert-groups.ts: alert whenever the state before was not
	// firing (decidePut: drop the alert only if activity.startedBy === caller.keyId).
	it.failing.each(Object.keys(TAKEN))('%s: it is told aloud', async (how) => {
		await TAKEN[how]!();
		expect(await isLoud()).toBe(true);
	});

	it.each(Object.keys(LEFT))('%s: it is told aloud', async (how) => {
		await LEFT[how]!();
		expect(await isLoud()).toBe(true);
	});
});

describe('a member shows others what a key has put on a card for a channel', () => {
	const inPlayground = (request: string, key: string, body: object) =>
		team.max.call('POST', '/playground/send', { request, key, body });
	const wider = { content_state: {}, channels: ['ops', 'sales'] };

	it('by sending it on, as it runs: nothing of it comes along', async () => {
		const { key, path } = fresh();
		await call('PUT', path, { ...shows('Salary'), channels: ['ops'] });
		expect((await inPlayground('stream', key, wider)).status).toBe(400);
		expect(await cardsOn(team.bob)).toEqual([]);
	});

	// Low: a member sees the card in the console, and may send its words to anybody, or add anybody to the channel. But
	// docs/api-decisions.md says that nothing of another key's activity comes along. Fix: streams/decisions.ts, decidePut:
	// const mayReveal = !caller.channels && caller.keyId !== null && … (a resumed activity has no starter, nor has a paused stream).
	it.failing.each(['once it was resumed', 'while it is paused'])(
		'by sending it on, %s',
		async (when) => {
			const { key, path } = fresh();
			await call('PUT', path, { ...shows('Salary'), channels: ['ops'] });
			await done(team.olga.call('POST', `/streams/${key}/pause`));
			if (when === 'once it was resumed')
				await done(team.olga.call('POST', `/streams/${key}/resume`));
			await inPlayground('stream', key, wider);
			if (when === 'while it is paused')
				await done(team.olga.call('POST', `/streams/${key}/resume`));
			const seen = await cardsOn(team.bob);
			await call('DELETE', path);
			expect(seen).not.toContain('Salary');
		},
	);

	it.each(['update', 'end'])('of another account, by the preview of its %s', async (request) => {
		const target = { content_state: { ...shows('Theirs').content_state }, tags: ['theirs'] };
		const { activity_id } = await call('POST', '/live-activity/start', target, {
			key: team.strangersKey,
		});
		const sent = { request, body: { activity_id, content_state: { subtitle: 'Mine' } } };
		const { body } = await team.max.call('POST', '/playground/preview', sent);
		expect(JSON.stringify(body)).not.toMatch(/Theirs|"phones":[1-9]/);
		await call(
			'POST',
			'/live-activity/end',
			{ activity_id, content_state: {} },
			{ key: team.strangersKey },
		);
	});
});

describe('a link of a limited key taps the button of another, by the app on an iPhone', () => {
	/** The app carries out links of this form, wherever they come from, and sends their key along. */
	const tapOn = (id: string) => `beckon://tap/${id}/action/2026-03-01T12:00:00.000Z/guessed`;
	/** What another app opens by itself: x-callback-url.com. */
	const after = (app: string, name: string, id: string) =>
		`${app}://x-callback-url/run-shortcut?name=none&${name}=${encodeURIComponent(tapOn(id))}`;
	const asButton = (url: string) => ({ actions: [{ title: 'Open', type: 'open_url', url }] });
	const asTarget = (redirection: string) => ({ redirection });

	const REFUSED: Record<string, (id: string) => object> = {
		'as it is': (id) => asTarget(tapOn(id)),
		'as it is, as a button': (id) => asButton(tapOn(id)),
		'in capitals': (id) => asTarget(tapOn(id).replace('beckon', 'BECKON')),
		'in a feed': (id) => asTarget(`feed:feed:${tapOn(id)}`),
	};
	const ACCEPTED: Record<string, (id: string) => object> = {
		'by a shortcut that does not exist': (id) => asButton(after('shortcuts', 'x-error', id)),
		'by a shortcut, as the target': (id) => asTarget(after('shortcuts', 'x-success', id)),
		'by a shortcut that is cancelled': (id) => asTarget(after('shortcuts', 'x-cancel', id)),
		'by another app': (id) => asTarget(after('bear', 'x-success', id)),
		'written plainly': (id) =>
			asTarget(`shortcuts://x-callback-url/run-shortcut?name=a&x-error=${tapOn(id)}`),
	};

	/** The limited key finds the card, and pushes its link. Ada opens that: the app does what it says. */
	async function follow(toLink: (id: string) => object) {
		const { path } = fresh();
		const order = { ...shows(ORDER), action: approve(), channels: ['ops'] };
		await call('PUT', path, order);
		later();
		const key = { key: team.ops };
		const { activity_id: id, operation } = await call('PUT', path, { content_state: {} }, key);
		expect(operation).toBe('noop');
		const lunch = { title: 'Lunch menu', ...toLink(id) };
		const { status } = await team.server.call('POST', '/push-notification', lunch, key);
		const isOpened = status === 200 && JSON.stringify(await team.ada.inbox()).includes(id);
		if (isOpened)
			await team.ada.call('POST', '/taps', {
				...{ tap_id: randomUUID(), activity_id: id, action: 'action', link_key: 'guessed' },
			});
		return { status, received: receiver.received };
	}

	it.each(Object.keys(REFUSED))('%s', async (how) => {
		expect(await follow(REFUSED[how]!)).toEqual({ status: 400, received: [] });
	});

	// Found as medium, and corrected: the app carried out a link without a key. The scheme is blocked, but Shortcuts, which every
	// iPhone has, opens it for who may not, and so does a page.
	it.each(Object.keys(ACCEPTED))('%s', async (how) => {
		expect((await follow(ACCEPTED[how]!)).received).toEqual([]);
	});
});
