import { MessageModel } from './message-model.ts';
import {
	type Buttons,
	endWords,
	type ModelActivity,
	type ModelQuestion,
	QuestionModel,
	type State,
} from './question-model.ts';

/**
 * A small model of streams and their activities, as in docs/api-decisions.md "Streams" and "Manual
 * lifecycle".
 */
const ROTATION_AGE_MS = 27_900 * 1_000;
const LIFETIME_MS = 8 * 60 * 60 * 1_000;

/** The one own field of each type that the model uses. */
const OWN_FIELD: Record<string, string> = {
	value: 'value',
	progress: 'percentage',
	alert: 'message',
};

const stillOpen = (buttons: Buttons | undefined) => (buttons?.isClosed ? undefined : buttons);

/** The buttons of a question go with its text. */
const keptButtons = ({ state, buttons }: Shown, next: State) =>
	sameState(state, next) ? stillOpen(buttons) : undefined;

interface Shown {
	state: State;
	tags: string[];
	buttons: Buttons | undefined;
}

export interface ModelStream {
	isPaused: boolean;
	/** Running, or ended by its age. */
	activity?: ModelActivity | undefined;
	/** The state kept by a pause. */
	remembered?: Shown | undefined;
	slugs: string[] | null;
}

export interface Change {
	content_state: State;
	tags?: string[] | undefined;
	alert?: { title: string } | undefined;
	channels?: string[] | undefined;
}

export type Expected =
	| { status: 400 | 404 }
	| {
			status: 200;
			operation: string;
			activity?: ModelActivity | undefined;
			previous?: ModelActivity | undefined;
			devices: number;
	  };

/** The change merged over the state, or undefined if the result is invalid. */
function merge(previous: State | undefined, change: State): State | undefined {
	const type = (change['type'] ?? previous?.['type']) as string | undefined;
	if (type === undefined) return undefined;
	const kept =
		previous === undefined
			? {}
			: previous['type'] === type
				? previous
				: { title: previous['title'] };
	const state: State = { ...kept, ...change, type };
	const own = OWN_FIELD[type]!;
	const foreign = Object.values(OWN_FIELD).some(
		(field) => field !== own && state[field] !== undefined,
	);
	return state['title'] === undefined || state[own] === undefined || foreign ? undefined : state;
}

const sameSet = (a: readonly string[] | null, b: readonly string[] | null) =>
	a && b ? [...a].sort().join() === [...b].sort().join() : a === b;

const sameState = (a: State, b: State) =>
	JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

export class Model {
	now: number;
	readonly streams = new Map<string, ModelStream>();
	/** Every activity ever started, oldest first. */
	readonly activities: ModelActivity[] = [];
	readonly messages: MessageModel;
	readonly questions: QuestionModel;
	readonly #audience: (slugs: string[] | null) => number;

	/**
	 * @param audience number of devices these channels reach
	 * @param channels each with one phone
	 */
	constructor(
		now: number,
		audience: (slugs: string[] | null) => number,
		channels: readonly string[],
	) {
		this.now = now;
		this.messages = new MessageModel(channels);
		this.questions = new QuestionModel(this.messages, (question) => this.#endShown(question));
		this.#audience = audience;
	}

	running(): ModelActivity[] {
		return this.activities.filter(({ isRunning }) => isRunning);
	}

	/** The id of a started activity is filled in from the answer. */
	#start(
		key: string | null,
		state: State,
		tags: string[],
		slugs: string[] | null,
		before?: Buttons,
	): ModelActivity {
		const activity: ModelActivity = {
			...{ id: '', key, startedAt: this.now, state, tags, slugs, isRunning: true },
			buttons: stillOpen(before),
		};
		this.activities.push(activity);
		if (key !== null) this.streams.set(key, { isPaused: false, activity, slugs });
		return activity;
	}

	/** Shows a question, unless the stream is paused. */
	ask(
		question: ModelQuestion,
		{ key, keep }: { key: string | null; keep: boolean },
	): ModelActivity | undefined {
		const { title, slugs } = question;
		if (key !== null && this.streams.get(key)?.isPaused) return undefined;
		const content_state = { type: 'alert', title, message: title };
		const alert = { title };
		const put = { content_state, alert, channels: slugs ?? undefined };
		const expected = key === null ? undefined : this.put(key, put);
		const activity =
			expected?.status === 200 ? expected.activity : this.#start(null, content_state, [], slugs);
		if (!activity) return undefined;
		activity.buttons = { of: question, isClosed: false };
		question.shown = { activity, key, keep };
		return activity;
	}

	#endShown(question: ModelQuestion): void {
		const { shown, title } = question;
		if (!shown) return;
		const { key, keep } = shown;
		const isOwn = (state: State) => state['type'] === 'alert' && state['title'] === title;
		const isShown = ({ state, buttons }: Shown) =>
			buttons ? buttons.of === question : isOwn(state);
		const stream = key === null ? undefined : this.streams.get(key);
		if (key !== null && stream?.isPaused) {
			const { remembered } = stream;
			if (!remembered || !isShown(remembered)) return;
			if (!keep) this.streams.delete(key);
			if (isOwn(remembered.state))
				remembered.state = { ...remembered.state, message: endWords(question) };
			remembered.buttons = undefined;
			return;
		}
		const activity = stream?.activity ?? shown.activity;
		const { buttons, state } = activity;
		if (!activity.isRunning || !isShown(activity)) return;
		if (isOwn(state)) activity.state = { ...state, message: endWords(question) };
		if (keep) {
			activity.buttons = buttons && stillOpen(buttons) && { ...buttons, isClosed: true };
			return;
		}
		activity.isRunning = false;
		if (key !== null) this.streams.delete(key);
	}

	put(key: string, { content_state, tags, alert, channels }: Change): Expected {
		const slugs = channels ?? null;
		const stream = this.streams.get(key);
		const devices = this.#audience(slugs);
		if (stream?.isPaused) {
			const state = merge(stream.remembered?.state, content_state);
			if (!state) return { status: 400 };
			const before = stream.remembered;
			const buttons = before && keptButtons(before, state);
			stream.remembered = { state, tags: tags ?? before?.tags ?? [], buttons };
			stream.slugs = slugs;
			return { status: 200, operation: 'paused', devices: 0 };
		}
		const old = stream?.activity;
		const state = merge(old?.state, content_state);
		if (!state) return { status: 400 };
		if (!old) {
			return {
				status: 200,
				operation: 'started',
				activity: this.#start(key, state, tags ?? [], slugs),
				devices,
			};
		}
		const isTooOld = !old.isRunning || this.now - old.startedAt > ROTATION_AGE_MS;
		if (isTooOld || old.state['type'] !== state['type'] || !sameSet(old.slugs, slugs)) {
			old.isRunning = false;
			const activity = this.#start(key, state, tags ?? old.tags, slugs, keptButtons(old, state));
			return { status: 200, operation: 'rotated', activity, previous: old, devices };
		}
		const isSame = sameState(old.state, state) && !old.buttons?.isClosed;
		if (isSame && (!tags || sameSet(tags, old.tags)) && !alert) {
			return { status: 200, operation: 'noop', activity: old, devices: 0 };
		}
		old.buttons = keptButtons(old, state);
		old.state = state;
		if (tags) old.tags = tags;
		return { status: 200, operation: 'updated', activity: old, devices };
	}

	delete(key: string, change: State | undefined, tags: string[] | undefined): Expected {
		const stream = this.streams.get(key);
		if (!stream) return { status: 404 };
		const { activity } = stream;
		if (!activity?.isRunning) {
			this.streams.delete(key);
			return { status: 200, operation: 'ended', devices: 0 };
		}
		const state = merge(activity.state, change ?? {});
		if (!state) return { status: 400 };
		Object.assign(activity, { state, isRunning: false, ...(tags && { tags }) });
		this.streams.delete(key);
		return { status: 200, operation: 'ended', activity, devices: this.#audience(activity.slugs) };
	}

	/** @returns true if the console allows it */
	pause(key: string): boolean {
		const stream = this.streams.get(key);
		if (!stream || stream.isPaused) return false;
		const { activity } = stream;
		if (activity) {
			const { state, tags, buttons } = activity;
			stream.remembered = { state, tags, buttons };
			activity.isRunning = false;
		}
		stream.activity = undefined;
		stream.isPaused = true;
		return true;
	}

	/** @returns whether the console allows it, and the activity that it starts */
	resume(key: string): { allowed: boolean; started?: ModelActivity } {
		const stream = this.streams.get(key);
		if (!stream?.isPaused) return { allowed: false };
		stream.isPaused = false;
		if (!stream.remembered) return { allowed: true };
		const { state, tags, buttons } = stream.remembered;
		return { allowed: true, started: this.#start(key, state, tags, stream.slugs, buttons) };
	}

	/** POST /live-activity/update. */
	update(activity: ModelActivity, change: State, tags: string[] | undefined): Expected {
		if (!activity.isRunning) return { status: 404 };
		const state = merge(activity.state, change);
		if (!state) return { status: 400 };
		const buttons = keptButtons(activity, state);
		Object.assign(activity, { state, ...(tags && { tags }), buttons });
		return { status: 200, operation: 'updated', activity, devices: this.#audience(activity.slugs) };
	}

	/** POST /live-activity/end: ending twice is allowed and reaches nobody. */
	end(activity: ModelActivity, change: State, tags: string[] | undefined): Expected {
		if (!activity.isRunning) {
			if (tags) activity.tags = tags;
			return { status: 200, operation: 'ended', activity, devices: 0 };
		}
		const state = merge(activity.state, change);
		if (!state) return { status: 400 };
		Object.assign(activity, { state, isRunning: false, ...(tags && { tags }) });
		for (const stream of this.streams.values()) {
			if (stream.activity === activity) stream.activity = undefined;
		}
		return { status: 200, operation: 'ended', activity, devices: this.#audience(activity.slugs) };
	}

	/** iOS does this by itself after eight hours; the stream keeps the activity, and its next PUT rotates. */
	expire(): void {
		for (const activity of this.running()) {
			if (activity.startedAt <= this.now - LIFETIME_MS) activity.isRunning = false;
		}
	}
}
