/**
 * From a workflow to the lock screen: the real node in n8n's engine, the real server, a stand-in for Apple, and the
 * extension's own bundle with this app's layout. Only SwiftUI itself is missing.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { PhoneApp } from '../../server/src/contract/device.ts';
import type { ApnsStandIn } from '../../server/test/gateways/support/apns.ts';
import { waitFor } from '../../server/test/support/wait.ts';
import { bannerOf, differenceFromDocs, heightsOf, SHOWN } from '../scripts/preview.ts';
import type { Session } from '../src/session.ts';
import { type Bench, startBench } from './support/bench.ts';
import { APP, FAMILIES, openExtension, type Places, type Render } from './support/extension.ts';
import { sessionInMemory } from './support/memory.ts';
import { faultsOf, textsOf } from './support/tree.ts';

const CAN: PhoneApp = { layout: 'activity', channels: true, categories: [] };
const TOKENS = { push_token: 'ab01', push_to_start_token: 'cd02', app: CAN };
const ENVIRONMENTS = {
	light: { colorScheme: 'light' },
	dark: { colorScheme: 'dark' },
	stale: { colorScheme: 'light', isStale: true },
};
const PLACES = [
	'banner',
	'bannerSmall',
	'compactLeading',
	'compactTrailing',
	'expandedCenter',
	'expandedLeading',
	'expandedBottom',
	'minimal',
];

let bench: Bench;
let apns: ApnsStandIn;
let session: Session;
let render: Render;

before(async () => {
	render = await openExtension('activity');
	bench = await startBench();
	({ apns } = bench);
	session = sessionInMemory();
	await pairPhone();
});
after(() => bench.close());

/** Pairs a phone, in place of the last one: on one phone, only ten Live Activities are started within an hour. */
async function pairPhone(): Promise<void> {
	await session.pair(bench.server.url, { code: await bench.pairCode(), name: 'iPhone' });
	await session.register(TOKENS);
}

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
	assert.equal(name, CAN.layout);
	return JSON.parse(props);
}

const put = (parameters: object) =>
	bench.run({ resource: 'liveActivity', operation: 'upsert', ...parameters });

const end = (streamKey: string) => put({ operation: 'end', streamKey });

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
		for (const place of PLACES) assert.ok(places[place], `${name}, ${look}: nothing in ${place}`);
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

const content = { subtitle: 'eu-1', icon: 'bolt.fill', iconColor: 'yellow', color: 'cyan' };
const badge = { badgeTitle: 'Beta', badgeColor: 'magenta' };
const metric = [
	{ label: 'CPU', value: '42', unit: '%', color: 'lime' },
	{ label: 'State', value: 'fine', unit: '', color: '' },
	{ label: 'Queue', value: '1240', unit: '', color: '' },
];

const TYPES: Array<[type: string, fields: object, change: object, texts: string[]]> = [
	[
		'segmented_progress',
		{ currentStep: 2, numberOfSteps: 4, content: { ...content, ...badge } },
		{ currentStep: 3, numberOfSteps: 4 },
		['3/4', 'eu-1', 'Beta'],
	],
	[
		'progress',
		{ percentage: '', content: { ...content, ...badge, currentValue: 5, upperLimit: 20 } },
		{ percentage: '', content: { currentValue: 10, upperLimit: 20 } },
		['50%', '10 of 20', 'eu-1', 'Beta'],
	],
	[
		'metrics',
		{ metrics: { metric }, content },
		{ metrics: { metric: metric.slice(0, 2) } },
		['CPU', '42 %', 'fine'],
	],
	[
		'stats',
		{ metrics: { metric }, content },
		{ metrics: { metric: metric.toReversed() } },
		['CPU', '42 %', '1,240'],
	],
	[
		'alert',
		{ message: 'Disk full', content: { ...content, ...badge } },
		{ message: 'Disk fine' },
		['Disk fine', 'Beta'],
	],
	[
		'value',
		{ value: '21.5 °C', content: { ...content, ...badge } },
		{ value: '22 °C' },
		['22 °C', 'Beta'],
	],
	[
		'timer',
		{ durationSeconds: 600, content: { ...content, countsDown: true } },
		{ content: { isRunning: false } },
		['Paused'],
	],
];

for (const [activityType, fields, change, texts] of TYPES) {
	test(`a ${activityType} is drawn when it starts, changes and ends`, async () => {
		const one = { streamKey: activityType, activityType, title: 'Nightly backup' };
		const started = await shownAfter(() => put({ ...one, ...fields }));
		draw(`${activityType}-started`, started);
		assert.equal(started.stream_key, activityType);

		const changed = await shownAfter(() => put({ ...one, ...change }));
		const drawn = draw(`${activityType}-changed`, changed);
		for (const text of ['Nightly backup', ...texts])
			assert.ok(drawn['banner']!.includes(text), `${text} is not in ${drawn['banner']}`);
		for (const place of ['bannerSmall', 'expandedCenter'])
			assert.ok(drawn[place]!.includes('Nightly backup'), `${place}: ${drawn[place]}`);

		const ended = await shownAfter(() => end(activityType));
		assert.match(draw(`${activityType}-ended`, ended)['banner']!, /Ended/);
	});
}

test('no number is rounded to one that it is not', async () => {
	const almost = { streamKey: 'almost', title: 'Almost', percentage: '' };
	const counted = { ...almost, activityType: 'progress' };
	const content = { currentValue: 99.999, upperLimit: 100 };
	const progress = await shownAfter(() => put({ ...counted, content }));
	const drawn = draw('almost-progress', progress)['banner']!;
	assert.match(drawn, /99\.999%/);
	assert.match(drawn, /99\.999 of 100$/);
	await shownAfter(() => end('almost'));

	const cpu = { label: 'CPU', value: '99.997', unit: '%', color: '' };
	for (const activityType of ['metrics', 'stats']) {
		const shares = { streamKey: activityType, activityType, title: 'Almost' };
		const props = await shownAfter(() => put({ ...shares, metrics: { metric: [cpu] } }));
		assert.match(draw(`almost-${activityType}`, props)['banner']!, /99\.997 %/);
		await shownAfter(() => end(activityType));
	}
});

const runningTimer = { streamKey: 't', activityType: 'timer', title: 'Tea', durationSeconds: 300 };

test('a running timer ticks by itself, up and down', async () => {
	await pairPhone();
	for (const countsDown of [true, false]) {
		const props = await shownAfter(() => put({ ...runningTimer, content: { countsDown } }));
		const { banner } = render(props, ENVIRONMENTS.light);
		const ticking = JSON.stringify(banner);
		assert.match(ticking, new RegExp(`"countsDown":${countsDown},"timerInterval":{`));
		draw(`timer-${countsDown ? 'down' : 'up'}`, props);
	}
	await shownAfter(() => end('t'));
});

test('both buttons report a tap, and the answer takes their place', async () => {
	const button = { title: 'Open', type: 'webhook', url: bench.webhookUrl };
	const props = await shownAfter(() =>
		put({
			streamKey: 'door',
			activityType: 'alert',
			title: 'Door',
			message: 'Somebody is there',
			content: { action: { button }, secondaryAction: { button: LOOK } },
		}),
	);
	const { banner } = render(props, ENVIRONMENTS.light);
	for (const name of ['action', 'secondary_action'])
		assert.ok(JSON.stringify(banner).includes(`beckon://tap/${props.activity_id}/${name}`));
	assert.match(draw('door-asked', props)['expandedBottom']!, /Open\nLook/);

	const answered = await shownAfter(() =>
		session.tap({ tap_id: randomUUID(), activity_id: props.activity_id, action: 'action' }),
	);
	const texts = draw('door-answered', answered)['banner']!;
	assert.match(texts, /“Open” by .+ · The door is open\nLook$/);
	await shownAfter(() => end('door'));
});

const LOOK = { title: 'Look', type: 'open_url', url: 'https://example.com/camera' };

test('the largest contents, and text from right to left, are drawn within the limit', async () => {
	let long: any;
	for (const [name, letter] of [
		['long', 'w'],
		['right-to-left', 'ש'],
	] as const) {
		const props = await shownAfter(() =>
			put({
				streamKey: name,
				activityType: 'alert',
				title: letter.repeat(255),
				message: `${letter} `.repeat(1_999),
				content: { ...badge, subtitle: letter.repeat(255) },
			}),
		);
		long = props;
		assert.equal(props.truncated, true);
		assert.ok(draw(name, props)['banner']!.startsWith(letter.repeat(200)));
	}
	const metric = Array.from({ length: 8 }, (_, n) => ({
		label: `Entry ${n}`,
		value: `${n}`,
		unit: '',
		color: '',
	}));
	for (const activityType of ['metrics', 'stats']) {
		const many = { streamKey: activityType, activityType, title: 'M', metrics: { metric } };
		const props = await shownAfter(() =>
			put({ ...many, content: { subtitle: 'S', action: { button: LOOK } } }),
		);
		assert.match(draw(`many-${activityType}`, props)['banner']!, /Entry 1/);
		const alone = draw(`many-${activityType}-alone`, { ...props, action: undefined })['banner']!;
		assert.match(alone, /Entry 5/);
	}
	const answer = { button: 'Open', by: 'Ada', message: 'm'.repeat(200), final: false };
	draw('long-answered', { ...long, action: LOOK, secondary_action: LOOK, answer });
});

test('a content that it cannot draw leaves the title', () => {
	for (const props of [
		{},
		{ title: 'Backup', type: 'metrics' },
		{ title: 'Backup', type: 'new' },
	]) {
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

/**
 * The share of the picture that may differ, as each machine has its own fonts. Measured: none with the fonts that drew
 * it, 0.4 % with another sans serif, 2.3 % and more with other kinds of fonts. A change of one segment is 0.5 %: it is
 * told from the fonts by its own comparison.
 */
const MOST_DIFFERENT = 0.01;

test('the previews look as in the documentation', async () => {
	const difference = await differenceFromDocs();
	assert.ok(
		difference < MOST_DIFFERENT,
		`${difference} of the picture differs: look, then run node scripts/preview.ts in app/`,
	);
	const another = await differenceFromDocs(SHOWN.with(0, 'segmented_progress-started'));
	assert.ok(another > difference, 'A step more or less makes no difference');
	const answered = await differenceFromDocs(SHOWN.with(-1, 'door-answered'));
	assert.ok(answered > MOST_DIFFERENT, `Only ${answered} of the picture differs with an answer`);
});

/** Points; iOS cuts off what is below. */
const MOST_HEIGHT = 160;

test('no banner is higher than iOS shows', async () => {
	const kept = readdirSync(join(APP, '.cache/trees')).filter((name) =>
		name.endsWith('-light.json'),
	);
	assert.ok(kept.length > 20);
	const names = kept.map((name) => name.replace('.json', ''));
	const heights = await heightsOf(names.map(bannerOf));
	for (const [index, height] of heights.entries())
		assert.ok(height <= MOST_HEIGHT, `${names[index]} is ${height} points high`);
});
