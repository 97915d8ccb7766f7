import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { State } from './question-model.ts';
import type { Change, Expected, Model } from './stream-model.ts';
import type { StreamAnswer, StreamService } from './stream-service.ts';

interface WithStreams {
	streams: StreamService;
}

const KEYS = ['a', 'b', 'c'];

function hold({ status, body }: StreamAnswer, expected: Expected): void {
	expect({ status, message: status === 200 ? '' : body['message'] }).toMatchObject({
		status: expected.status,
	});
	if (expected.status !== 200) return;
	if (body['operation'] !== undefined) expect(body['operation']).toBe(expected.operation);
	if (expected.activity && expected.activity.id === '') expected.activity.id = body['activity_id'];
	expect(body['activity_id']).toBe(expected.activity?.id ?? null);
	expect(body['previous_activity_id']).toBe(expected.previous?.id);
	expect(body['devices_notified']).toBe(expected.devices);
}

/** After every command: no stream runs twice, and the running ones match the model. */
async function holdRunning(model: Model, { streams }: WithStreams): Promise<void> {
	const rows = await streams.running();
	const keys = rows.map(({ stream_key }) => stream_key);
	expect(new Set(keys).size).toBe(keys.length);
	expect(rows.map(({ id }) => id).sort()).toEqual(
		model
			.running()
			.map(({ id }) => id)
			.sort(),
	);
	const ids = model.activities.map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
}

type Step<Real> = (model: Model, real: Real) => Promise<void>;

class Command<Real extends WithStreams> implements fc.AsyncCommand<Model, Real> {
	readonly #name: string;
	readonly #step: Step<Real>;
	constructor(name: string, step: Step<Real>) {
		this.#name = name;
		this.#step = step;
	}
	check = () => true;
	async run(model: Model, real: Real): Promise<void> {
		await this.#step(model, real);
		await holdRunning(model, real);
	}
	toString = () => this.#name;
}

/** A command, by its name and arguments. */
export const command = <T, Real extends WithStreams>(
	name: string,
	input: fc.Arbitrary<T>,
	step: (input: T, model: Model, real: Real) => Promise<void>,
) =>
	input.map(
		(value) =>
			new Command<Real>(`${name}(${JSON.stringify(value)})`, (model, real) =>
				step(value, model, real),
			),
	);

const key = fc.constantFrom(...KEYS);
/** Tags of a request. */
export const sentTags = fc.option(fc.subarray(['x', 'y']), { nil: undefined, freq: 3 });
/** Channels of a request; undefined: everybody. */
export const targets = fc.option(fc.constantFrom<string[]>(['one'], ['two'], ['one', 'two']), {
	nil: undefined,
	freq: 4,
});
const own = fc.constantFrom<State>(
	...[
		{ type: 'value', value: 'v' },
		{ type: 'value', value: 'w' },
		{ type: 'progress', percentage: 5 },
		{ type: 'alert', message: 'm' },
	],
	...[{ value: 'v' }, { value: 'w' }, { percentage: 5 }, { type: 'progress' }, {}],
);
const state = fc
	.tuple(fc.constantFrom<State>({ title: 'A' }, { title: 'A' }, { title: 'B' }, {}), own)
	.map(([title, fields]) => ({ ...title, ...fields }));
const alert = fc.option(fc.constant({ title: 'look' }), { nil: undefined, freq: 6 });
const change: fc.Arbitrary<Change> = fc.record({
	content_state: state,
	tags: sentTags,
	alert,
	channels: targets,
});
const nth = fc.nat(30);

/** A call that names an activity by its id, whether it runs or ended long ago. */
function byId(verb: 'update' | 'end') {
	return command(
		verb,
		fc.tuple(nth, state, sentTags),
		async ([index, content_state, tags], model, { streams }: WithStreams) => {
			const activity = model.activities.at(-1 - index);
			if (!activity) return;
			const body = { activity_id: activity.id, content_state, tags };
			hold(await streams.changeById(verb, body), model[verb](activity, content_state, tags));
		},
	);
}

/** Commands on the streams of an account; each checks the answer against the model. */
export const streamCommands = [
	...Array.from({ length: 3 }, () =>
		command('put', fc.tuple(key, change), async ([name, body], model, { streams }: WithStreams) =>
			hold(await streams.put(name, body), model.put(name, body)),
		),
	),
	command(
		'again',
		fc.tuple(key, sentTags, alert),
		async ([name, tags, called], model, { streams }: WithStreams) => {
			// The state the stream already shows, perhaps with other tags or an alert.
			const stream = model.streams.get(name);
			const shown = stream?.activity?.state ?? stream?.remembered?.state;
			if (!stream || !shown) return;
			const body: Change = {
				...{ content_state: shown, tags, alert: called },
				channels: stream.slugs ?? undefined,
			};
			hold(await streams.put(name, body), model.put(name, body));
		},
	),
	command(
		'delete',
		fc.tuple(key, fc.option(state, { nil: undefined }), sentTags),
		async ([name, content_state, tags], model, { streams }: WithStreams) => {
			const body = { ...(content_state && { content_state }), tags };
			hold(await streams.delete(name, body), model.delete(name, content_state, tags));
		},
	),
	command('pause', key, async (name, model, { streams }: WithStreams) => {
		expect(await streams.pause(name)).toBe(model.pause(name));
	}),
	command('resume', key, async (name, model, { streams }: WithStreams) => {
		const { allowed, started } = model.resume(name);
		const resumed = await streams.resume(name);
		expect(resumed && resumed.started !== null).toBe(allowed ? started !== undefined : undefined);
		if (started) started.id = resumed?.started ?? '';
	}),
	byId('update'),
	byId('end'),
	command(
		'wait',
		fc.constantFrom(1, 600, 27_899, 27_900, 27_901, 28_800),
		async (seconds, model, { streams }: WithStreams) => {
			model.now = await Promise.resolve(streams.wait(seconds));
		},
	),
	command('expire', fc.constant(null), async (_nothing, model, { streams }: WithStreams) => {
		await streams.expire();
		model.expire();
	}),
];
