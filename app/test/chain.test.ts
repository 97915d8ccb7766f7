/**
 * From a workflow to the lock screen: the real node in n8n's engine, the real server, a stand-in for Apple, and the
 * extension's own bundle with this app's layout. Only SwiftUI itself is missing.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
	BACKUP,
	BREAD,
	DEPLOY,
	EURO,
	SALES,
	SERVER,
	WATER,
} from '../../server/test/browser/support/examples.ts';
import type { ApnsStandIn } from '../../server/test/gateways/support/apns.ts';
import { waitFor } from '../../server/test/support/wait.ts';
import { FAMILIES } from '../app.config.ts';
import { readLink } from '../src/links.ts';
import { bannerOf, heightsOf, isPictureCurrent } from '../scripts/preview.ts';
import { type Bench, FIRST_START, startBench } from './support/bench.ts';
import { APP, openExtension, type Places, type Render } from './support/extension.ts';
import { sessionInMemory } from './support/memory.ts';
import { faultsOf, PLACES, textsOf } from './support/tree.ts';

const TOKENS = { push_token: 'ab01', push_to_start_token: 'cd02', app: FIRST_START };
const ENVIRONMENTS = {
	light: { colorScheme: 'light' },
	dark: { colorScheme: 'dark' },
	stale: { colorScheme: 'light', isStale: true },
};
let bench: Bench;
let apns: ApnsStandIn;
const session = sessionInMemory();
let render: Render;

before(async () => {
	assert.equal(PLACES.size, 9);
	render = await openExtension('activity');
	bench = await startBench();
	({ apns } = bench);
	await pairPhone();
});
after(() => bench[Symbol.asyncDispose]());

/** Pairs a phone, in place of the last one: on one phone, only ten Live Activities are started within an hour. */
const pairPhone = () => bench.pair(session, TOKENS);

/** Runs the node, and waits for the next content that Apple got for the phone. */
async function shownAfter(run: () => Promise<unknown>): Promise<any> {
	const before = apns.shownTo(TOKENS.push_to_start_token).length;
	await run();
	const taken = await waitFor(
		'a push to the phone',
		() => apns.shownTo(TOKENS.push_to_start_token)[before],
	);
	assert.ok(Buffer.byteLength(JSON.stringify(taken.payload)) <= 4_096);
	assert.deepEqual(apns.refusals, []);
	const { name, props } = taken.payload.aps['content-state'];
	assert.equal(name, FIRST_START.layout);
	return JSON.parse(props);
}

/** Puts a stream named after the picture, and draws it. @returns the state, and its texts by place */
async function put(name: string, state: object, more: object = {}) {
	const props = await shownAfter(() => bench.stream(name, state, more));
	return { props, texts: draw(name, props) };
}

const end = (key: string) => shownAfter(() => bench.endStream(key));

/** Draws the state in every environment; each tree is without faults. @returns the texts of the light one, by place */
function draw(name: string, props: any): Record<string, string> {
	const texts: Record<string, string> = {};
	for (const [look, environment] of Object.entries(ENVIRONMENTS)) {
		const places: Places = render(props, environment);
		for (const [place, node] of Object.entries(places)) {
			if (!node) continue;
			assert.deepEqual(faultsOf(node), [], `${name}, ${look}, ${place}`);
			if (look === 'light') texts[place] = textsOf(node).join('\n');
		}
		for (const place of PLACES)
			assert.ok(places[place] || place === 'expandedTrailing', `${name}, ${look}: no ${place}`);
		if (look === 'stale')
			assert.match(textsOf(places['banner']!).join('\n'), /Not up to date|Ended/);
		keep(`${name}-${look}`, places);
	}
	return texts;
}

/** For the previews, which are drawn from these trees. */
function keep(name: string, places: Places): void {
	mkdirSync(join(APP, '.cache/trees'), { recursive: true });
	writeFileSync(join(APP, `.cache/trees/${name}.json`), JSON.stringify(places));
}

const TYPES: Array<[state: { type: string; title: string }, change: object, texts: string[]]> = [
	[DEPLOY, { current_step: 4 }, ['4/5', 'Running the migrations', 'production']],
	[BACKUP, { value: 150 }, ['75%', '150 of 200', 'photos → archive']],
	[SERVER, { metrics: SERVER.metrics.slice(0, 2) }, ['CPU', '42 %', 'Memory']],
	[SALES, { metrics: SALES.metrics.toReversed() }, ['Orders', '318', '€ 12.4k']],
	[WATER, { message: 'Pumped out' }, ['Pumped out', 'critical']],
	[EURO, { value: '1.0851' }, ['1.0851', '+0.4 %']],
	[BREAD, { is_running: false }, ['Paused', 'Oven 2']],
];

for (const [state, change, texts] of TYPES) {
	const { type, title } = state;
	test(`a ${type} is drawn when it starts, changes and ends`, async () => {
		const started = await shownAfter(() => bench.stream(type, state));
		draw(`${type}-started`, started);
		assert.equal(started.stream_key, type);

		const changed = await shownAfter(() => bench.stream(type, change));
		const drawn = draw(`${type}-changed`, changed);
		for (const text of [title, ...texts])
			assert.ok(drawn['banner']!.includes(text), `${text} is not in ${drawn['banner']}`);
		for (const place of ['bannerSmall', 'expandedCenter'])
			assert.ok(drawn[place]!.includes(title), `${place}: ${drawn[place]}`);

		assert.match(draw(`${type}-ended`, await end(type))['banner']!, /Ended/);
	});
}

test('no number is rounded to one that it is not', async () => {
	const counted = { type: 'progress', title: 'Almost', value: 99.999, upper_limit: 100 };
	const progress = await put('almost-progress', counted);
	assert.match(progress.texts['banner']!, /99\.999%/);
	assert.match(progress.texts['banner']!, /99\.999 of 100$/);
	await end('almost-progress');

	const metrics = [{ label: 'CPU', value: 99.997, unit: '%' }];
	for (const type of ['metrics', 'stats']) {
		const { texts } = await put(`almost-${type}`, { type, title: 'Almost', metrics });
		assert.match(texts['banner']!, /99\.997 %/);
		await end(`almost-${type}`);
	}
});

const upsert = (parameters: object) =>
	shownAfter(() => bench.run({ resource: 'liveActivity', operation: 'upsert', ...parameters }));

const runningTimer = { streamKey: 't', activityType: 'timer', title: 'Tea', durationSeconds: 300 };

test('a running timer ticks by itself, up and down', async () => {
	await pairPhone();
	for (const countsDown of [true, false]) {
		const props = await upsert({ ...runningTimer, content: { countsDown } });
		const ticking = JSON.stringify(render(props, ENVIRONMENTS.light).banner);
		assert.match(ticking, new RegExp(`"countsDown":${countsDown},"timerInterval":{`));
		draw(`timer-${countsDown ? 'down' : 'up'}`, props);
	}
	await end('t');
});

const LOOK = { title: 'Look', type: 'open_url', url: 'https://example.com/camera' };

test('both buttons report a tap, and the answer takes their place', async () => {
	const button = { title: 'Open', type: 'webhook', url: bench.webhookUrl };
	const props = await upsert({
		streamKey: 'door',
		activityType: 'alert',
		title: 'Door',
		message: 'Somebody is there',
		content: { action: { button }, secondaryAction: { button: LOOK } },
	});
	const banner = JSON.stringify(render(props, ENVIRONMENTS.light).banner);
	const links = (banner.match(/beckon:[^"]+/g) ?? []).map((link) => {
		const read = readLink(link);
		assert.ok(read?.kind === 'tap');
		return read.tap;
	});
	assert.deepEqual(
		links.map(({ action }) => action),
		['action', 'secondary_action'],
	);
	assert.match(draw('door-asked', props)['expandedBottom']!, /Open\nLook/);

	const answered = await shownAfter(() => session.tap({ tap_id: randomUUID(), ...links[0]! }));
	const texts = draw('door-answered', answered)['banner']!;
	assert.match(texts, /“Open” by .+ · The door is open\nLook$/);
	await end('door');
});

test('the largest contents, and text from right to left, are drawn within the limit', async () => {
	let long: any;
	for (const [name, letter] of Object.entries({ long: 'w', 'right-to-left': 'ש' })) {
		const [title, message] = [letter.repeat(255), `${letter} `.repeat(1_999)];
		const state = { type: 'alert', title, message, subtitle: title, badge: EURO.badge };
		const { props, texts } = await put(name, state);
		long = props;
		assert.equal(props.truncated, true);
		assert.ok(texts['banner']!.startsWith(letter.repeat(200)));
	}
	const metrics = Array.from({ length: 8 }, (_, n) => ({ label: `Entry ${n}`, value: n }));
	for (const type of ['metrics', 'stats']) {
		const state = { type, title: 'M', subtitle: 'S', metrics };
		const { props, texts } = await put(`many-${type}`, state, { action: LOOK });
		assert.match(texts['banner']!, /Entry 1/);
		const alone = draw(`many-${type}-alone`, { ...props, action: undefined })['banner']!;
		assert.match(alone, /Entry 5/);
	}
	const answer = { button: 'Open', by: 'Ada', message: 'm'.repeat(200), final: false };
	draw('long-answered', { ...long, action: LOOK, secondary_action: LOOK, answer });
});

test('a content that it cannot draw leaves the title', () => {
	const broken = ['metrics', 'new'].map((type) => ({ title: 'Backup', type }));
	for (const props of [{}, ...broken]) {
		const { banner } = render(props, ENVIRONMENTS.light);
		assert.deepEqual(faultsOf(banner), []);
		assert.match(textsOf(banner).join(''), 'title' in props ? /Backup/ : /Beckon/);
	}
});

test('a widget shows the metric that was named in its settings, or the first', async () => {
	const widget = await openExtension('widget');
	const value = { format: 'unit', unit: '€', measured_at: null };
	const measured_at = new Date().toISOString();
	const metrics = [
		{ key: 'sales', name: 'Sales', value: 1240, ...value },
		{ key: 'cpu', name: 'CPU', value: 42, ...value, unit: '%', measured_at },
	];
	for (const widgetFamily of FAMILIES) {
		const named = widget({ metrics }, { widgetFamily, configuration: { metric: 'cpu' } });
		const first = widget({ metrics }, { widgetFamily, configuration: { metric: '' } });
		const missing = widget({ metrics }, { widgetFamily, configuration: { metric: 'ram' } });
		for (const node of [named, first, missing]) assert.deepEqual(faultsOf(node), []);
		assert.match(textsOf(named).join(' '), /42.*%/);
		assert.match(textsOf(first).join(' '), /1,240/);
		assert.match(textsOf(missing).join(' '), /No metric ram/);
		// A line and a circle have no room for it.
		const hasAge = JSON.stringify(named).includes('"dateStyle":"relative"');
		assert.equal(hasAge, ['accessoryRectangular', 'systemSmall'].includes(widgetFamily));
		keep(`widget-${widgetFamily}`, { banner: named });
	}
});

test('the previews look as in the documentation', () => {
	assert.ok(isPictureCurrent(), 'Run node scripts/preview.ts in app/, and look at the picture');
});

/** Points; iOS cuts off what is below. */
const MOST_HEIGHT = 160;

test('no banner is higher than iOS shows', async () => {
	const kept = globSync('*-light.json', { cwd: join(APP, '.cache/trees') });
	assert.ok(kept.length > 20);
	const names = kept.map((name) => name.replace('.json', ''));
	const heights = await heightsOf(names.map(bannerOf));
	for (const [index, height] of heights.entries())
		assert.ok(height <= MOST_HEIGHT, `${names[index]} is ${height} points high`);
});
