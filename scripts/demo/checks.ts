import assert from 'node:assert/strict';
import type { Delivery } from '../../server/src/contract/device.ts';
import type { ConsoleQuestions } from '../../server/src/contract/questions.ts';
import type { Phone } from './phone.ts';
import { tellCheck } from './story.ts';
import type { Exchange, HookCall, Wire } from './wire.ts';

type Push = Extract<Delivery, { kind: 'push' }>;
type OfActivity = Extract<
	Delivery,
	{ kind: 'activity_start' | 'activity_update' | 'activity_end' }
>;

const isPush = (delivery: Delivery): delivery is Push => delivery.kind === 'push';
const isOfActivity = (delivery: Delivery): delivery is OfActivity =>
	delivery.kind.startsWith('activity_');

/** True if the delivery shows the content of the request. */
function isShownBy({ path, body, answer }: Exchange, delivery: Delivery): boolean {
	const sent = (body ?? {}) as Record<string, unknown>;
	if (path === '/push-notification' || path === '/questions') {
		return (
			isPush(delivery) &&
			delivery.push.title === sent['title'] &&
			delivery.push.message === sent['message']
		);
	}
	if (path === '/badge') return delivery.kind === 'badge' && delivery.badge === sent['badge'];
	if (!isOfActivity(delivery) || delivery.activity.activity_id !== answer['activity_id'])
		return false;
	const shown = delivery.activity.content_state as Record<string, unknown>;
	const content = (sent['content_state'] ?? {}) as Record<string, unknown>;
	return ['title', 'subtitle', 'current_step', 'metrics'].every(
		(field) =>
			content[field] === undefined ||
			JSON.stringify(content[field]) === JSON.stringify(shown[field]),
	);
}

/** Checks that every request was accepted, and that the phone has a delivery for each, in order. */
function checkDeliveries(exchanges: readonly Exchange[], inbox: readonly Delivery[]): void {
	let at = -1;
	for (const exchange of exchanges) {
		const { method, path, status, answer } = exchange;
		assert.equal(status, 200, `${method} ${path} answered ${status}: ${JSON.stringify(answer)}`);
		if (path.startsWith('/metrics/') || answer['operation'] === 'noop') continue;
		const next = inbox.findIndex((delivery, index) => index > at && isShownBy(exchange, delivery));
		assert.notEqual(
			next,
			-1,
			`The phone did not receive what ${method} ${path} sent: ${JSON.stringify(exchange.body)}`,
		);
		at = next;
	}
	tellCheck(`The phone received all that ${exchanges.length} requests sent, in their order`);
}

function checkActivities(inbox: readonly Delivery[]): void {
	const kinds = new Map<string, string[]>();
	for (const { activity, kind } of inbox.filter(isOfActivity)) {
		kinds.set(activity.activity_id, [...(kinds.get(activity.activity_id) ?? []), kind]);
	}
	assert.ok(kinds.size > 0, 'No Live Activity reached the phone');
	for (const [id, sequence] of kinds) {
		assert.equal(
			sequence[0],
			'activity_start',
			`The Live Activity ${id} does not begin with its start`,
		);
	}
	const ended = [...kinds.values()].filter((sequence) => sequence.at(-1) === 'activity_end');
	assert.equal(
		ended.length,
		2,
		'The deployment and the backup should have ended, and nothing else',
	);
	tellCheck(`${kinds.size} Live Activities ran, ${ended.length} of them to their end`);
}

async function checkMetrics(phone: Phone, exchanges: readonly Exchange[]): Promise<void> {
	const { metrics, badge } = await phone.snapshot();
	for (const { path, body } of exchanges) {
		const key = /^\/metrics\/([^/]+)\/value$/.exec(path)?.[1];
		if (key === undefined) continue;
		const { value } = body as { value: unknown };
		assert.equal(
			metrics.find((metric) => metric.key === key)?.value,
			value,
			`The widget of ${key} is not up to date`,
		);
		tellCheck(`The widget of ${key} shows ${String(value)}`);
	}
	const last = exchanges.findLast(({ path }) => path === '/badge');
	assert.equal(badge, (last?.body as { badge: number }).badge, 'The badge is not up to date');
	tellCheck(`The app icon shows the badge ${badge}`);
}

async function checkButtons(phone: Phone, inbox: readonly Delivery[], wire: Wire): Promise<void> {
	const sale = inbox
		.filter(isPush)
		.find(({ push }) => push.actions?.some(({ type, closed }) => type === 'webhook' && !closed));
	assert.ok(sale, 'No push with a webhook button reached the phone');
	const calls: HookCall[] = [];
	wire.onHook((call) => calls.push(call));
	const index = sale.push.actions?.findIndex(({ type }) => type === 'webhook') ?? 0;
	const outcome = await phone.tapPushButton(sale.id, index);
	assert.equal(outcome.outcome, 'called', `The tap was answered: ${outcome.message}`);
	assert.equal(calls.length, 1, 'The webhook of the button was not called once');
	tellCheck('A tap on the button of the sale called its webhook');
}

/** The question's answer, as the phone shows it. */
function checkAnswer(inbox: readonly Delivery[]): void {
	const answered = inbox.find((delivery) => delivery.kind === 'push_update');
	assert.equal(answered?.push.answer?.button, 'Deploy', 'The phone does not show the answer');
	tellCheck(`The phone shows who answered “${answered.push.title}”`);
}

/**
 * Compares the phone's deliveries, over the device protocol, with the nodes' requests.
 * @throws AssertionError that names what is missing
 */
export async function checkEverything(
	phone: Phone,
	exchanges: readonly Exchange[],
	wire: Wire,
): Promise<void> {
	const inbox = await phone.inbox();
	checkDeliveries(exchanges, inbox);
	checkActivities(inbox);
	await checkMetrics(phone, exchanges);
	await checkButtons(phone, inbox, wire);
	checkAnswer(inbox);
}

/**
 * Checks that the page shows both frames, with a user signed in to the console.
 * @throws AssertionError that names what is missing
 */
export async function checkSideBySide(url: string): Promise<void> {
	const page = await fetch(url);
	const frames = [...(await page.text()).matchAll(/<iframe[^>]* src="([^"]+)"/g)];
	const cookie = page.headers.getSetCookie().map((value) => value.split(';')[0]);
	const get = (path: string) =>
		fetch(new URL(path, url), { headers: { cookie: cookie.join('; ') } });
	assert.equal(frames.length, 2, 'The page does not frame console and phone');
	for (const [, path = ''] of frames) {
		const framed = await get(path);
		assert.equal(framed.status, 200, `${path} answered ${framed.status}`);
		const policy = framed.headers.get('content-security-policy') ?? '';
		assert.match(policy, /frame-ancestors 'self'/, `${path} may not be framed`);
		assert.equal(framed.headers.get('x-frame-options'), null, `${path} may not be framed`);
	}
	const session = await get('/console/api/session');
	assert.equal(session.status, 200, 'Nobody is signed in to the console');
	tellCheck('Console and phone are side by side, with the owner signed in');
	const past = (await (await get('/console/api/questions?status=past')).json()) as ConsoleQuestions;
	const choices = past.questions.map(({ answer }) => answer?.choice);
	assert.deepEqual(choices, ['approve'], 'The console does not show the answer');
	tellCheck('The console shows the answer, too');
}
