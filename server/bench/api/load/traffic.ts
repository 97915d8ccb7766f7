/** The endpoints measured, in the order of a round: later phases change and end what earlier ones start. */
export const PHASES = {
	push: 'POST /push-notification',
	'push-keyed': 'POST /push-notification with an Idempotency-Key',
	badge: 'POST /badge',
	metric: 'POST /metrics/{key}/value',
	start: 'POST /live-activity/start',
	update: 'POST /live-activity/update',
	end: 'POST /live-activity/end',
	'stream-start': 'PUT /live-activity/stream/{stream_key}, which starts',
	'stream-update': 'PUT /live-activity/stream/{stream_key}, which updates',
	'stream-end': 'DELETE /live-activity/stream/{stream_key}',
} as const;

export type Phase = keyof typeof PHASES;

export const METRIC_KEY = 'orders';

/** As many as a phone shows at once. */
const ACTIVITIES_PER_PHONE = 5;

/** The receiver of the requests. */
export interface Target {
	/** The base URL, with `/api` if the contestant has it. */
	url: string;
	/** One key for each account; every account has one phone, which takes five activities. */
	keys: string[];
	/** Topics, if it is ntfy: a push goes to the next of them, published as JSON. */
	topics?: string[];
	/** Existing streams, for when none are started here; number n has key number n mod keys. */
	streams?: string[];
	/** Channels of these streams: number n targets channel number n mod channels. */
	channels?: string[];
}

export interface TrafficRequest {
	method: 'POST' | 'PUT' | 'DELETE';
	path: string;
	key: string;
	body: object | undefined;
	/** Value of the header; none if undefined. */
	idempotencyKey?: string;
	/** Called with the answer's body, if a later phase needs it. */
	onResponse?: (body: string) => void;
}

interface Started {
	key: string;
	name: string;
	channel: string | undefined;
}

/** Makes a target's requests, phase by phase: the same for every contestant. */
export class Traffic {
	readonly #target: Target;
	readonly #activities: Started[] = [];
	readonly #streams: Started[];
	#sent = 0;
	#round = 0;

	constructor(target: Target) {
		this.#target = target;
		const { streams = [], channels = [] } = target;
		this.#streams = streams.map((name, index) => ({
			name,
			key: this.#keyOf(index),
			channel: channels[index % channels.length],
		}));
	}

	/** Begins a phase. */
	begin(): void {
		this.#sent = 0;
		this.#round += 1;
	}

	/** The phase's next request; undefined if there is nothing left to start or end. */
	next(phase: Phase): TrafficRequest | undefined {
		const n = this.#sent;
		this.#sent += 1;
		const key = this.#keyOf(n);
		const isFull = n >= this.#target.keys.length * ACTIVITIES_PER_PHONE;
		switch (phase) {
			case 'push': {
				const { topics } = this.#target;
				const push = { title: 'New order', message: 'Two loaves' };
				return topics
					? post(key, '/', { topic: at(topics, n), ...push })
					: post(key, '/push-notification', push);
			}
			case 'push-keyed': {
				const push = { title: 'New order', message: 'Two loaves' };
				const idempotencyKey = `"${process.pid}-${this.#round}-${n}"`;
				return { ...post(key, '/push-notification', push), idempotencyKey };
			}
			case 'badge':
				return post(key, '/badge', { badge: n % 100 });
			case 'metric':
				return post(key, `/metrics/${METRIC_KEY}/value`, { value: n });
			case 'start':
				return isFull ? undefined : this.#start(key);
			case 'update': {
				const activity = at(this.#activities, n);
				return post(activity.key, '/live-activity/update', {
					activity_id: activity.name,
					content_state: { percentage: n % 101 },
				});
			}
			case 'end': {
				const activity = this.#activities.pop();
				return (
					activity &&
					post(activity.key, '/live-activity/end', {
						activity_id: activity.name,
						content_state: { percentage: 100 },
					})
				);
			}
			case 'stream-start':
				return isFull ? undefined : this.#startStream(key, n);
			case 'stream-update': {
				// In steps of a prime, so successive requests hit rows that are far apart.
				const stream = at(this.#streams, n * 7_919);
				return put(stream, (this.#round + n) % 101);
			}
			case 'stream-end': {
				const stream = this.#streams.pop();
				return stream && { ...put(stream, 0), method: 'DELETE', body: undefined };
			}
		}
	}

	#keyOf(n: number): string {
		return at(this.#target.keys, n);
	}

	#start(key: string): TrafficRequest {
		return {
			...post(key, '/live-activity/start', {
				content_state: { type: 'progress', title: 'Backup', percentage: 0 },
			}),
			onResponse: (body) => {
				const { activity_id: name } = JSON.parse(body) as { activity_id: string };
				this.#activities.push({ key, name, channel: undefined });
			},
		};
	}

	#startStream(key: string, n: number): TrafficRequest {
		const stream = { key, name: `bench-${this.#round}-${n}`, channel: undefined };
		return { ...put(stream, 0), onResponse: () => this.#streams.push(stream) };
	}
}

function at<T>(list: readonly T[], n: number): T {
	const entry = list[n % list.length];
	if (entry === undefined) throw new Error('The phase that starts what this one uses has not run');
	return entry;
}

function post(key: string, path: string, body: object): TrafficRequest {
	return { method: 'POST', path, key, body };
}

function put({ key, name, channel }: Started, percentage: number): TrafficRequest {
	return {
		method: 'PUT',
		path: `/live-activity/stream/${name}`,
		key,
		body: {
			content_state: { type: 'progress', title: 'Backup', percentage },
			...(channel !== undefined && { channels: [channel] }),
		},
	};
}
