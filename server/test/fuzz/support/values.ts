import fc from 'fast-check';
import { z } from 'zod';
import { STATES } from '../../support/samples.ts';
import { ODD_NAMES, oddValue, withName } from './odd-values.ts';
import type { Random } from './random.ts';

/** The subset of JSON Schema that zod writes. */
export interface Schema {
	$ref?: string;
	$defs?: Record<string, Schema>;
	type?: string;
	const?: unknown;
	enum?: unknown[];
	anyOf?: Schema[];
	oneOf?: Schema[];
	allOf?: Schema[];
	properties?: Record<string, Schema>;
	required?: string[];
	additionalProperties?: Schema | boolean;
	items?: Schema;
	minItems?: number;
	maxItems?: number;
	minLength?: number;
	maxLength?: number;
	pattern?: string;
	format?: string;
	minimum?: number;
	maximum?: number;
	exclusiveMinimum?: number;
}

export function jsonSchemaOf(schema: z.ZodType): Schema {
	return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
}

/** Values named in answers, by their property: ids that exist. */
export class Known {
	readonly #values = new Map<string, unknown[]>();

	add(name: string, value: unknown): void {
		const values = this.#values.get(name) ?? [];
		values.push(value);
		// The newest are the likeliest to still exist.
		if (values.length > MOST_KNOWN) values.shift();
		this.#values.set(name, values);
	}

	/**
	 * Learns the values in an answer.
	 * @param collection the route's collection, such as `users`: its ids are known by that name as well
	 */
	learn(body: unknown, collection: string): void {
		if (Array.isArray(body)) for (const entry of body.slice(0, 20)) this.learn(entry, collection);
		else if (typeof body === 'object' && body !== null) {
			// Few deliveries have buttons, and a phone that has paired again has none of the earlier ones.
			if (hasButtons(body)) this.add('delivery_id', body.id);
			for (const [name, value] of Object.entries(body)) {
				if (collection === 'images' && name === 'url')
					this.add('path', String(value).split('/').at(-1));
				if (LEARNED.has(name) && (typeof value === 'string' || typeof value === 'number')) {
					this.add(name, value);
					if (name === 'id') this.add(idsOf(collection), value);
				} else this.learn(value, collection);
			}
		}
	}

	pick(name: string, random: Random): unknown {
		const values = this.#values.get(ALIASES[name] ?? name);
		return values && values.length > 0 ? random.pick(values) : undefined;
	}
}

/** A delivery of a push, as phones get it. */
function hasButtons(body: object): body is { id: unknown } {
	const { push } = body as { push?: { actions?: unknown[] } };
	return 'id' in body && (push?.actions?.length ?? 0) > 0;
}

/** The name under which a collection's ids are known. */
export function idsOf(collection: string): string {
	return `id of ${collection}`;
}

const MOST_KNOWN = 40;
const LEARNED = new Set([
	'id',
	'activity_id',
	'stream_key',
	'key',
	'slug',
	'token',
	'code',
	'repeat_id',
	'question_id',
]);
const ALIASES: Record<string, string> = {
	devices: 'id',
	deliveries: 'delivery_id',
	user: 'users',
	into: idsOf('users'),
	current_password: 'password',
};

/**
 * URLs that lead nowhere: the server may call the URLs it is given, and refuses these addresses without a
 * connection or a look-up.
 */
const URLS = [
	'https://127.0.0.1:1/hook',
	'https://[::1]:1/x?y=z#w',
	'https://127.0.0.1:1/%F0%9F%9A%80',
	'http://127.0.0.1:1/',
	'https://user:pw@127.0.0.1/',
	'shortcuts://run-shortcut?name=Lights',
	'javascript:alert(1)',
	'data:text/html,x',
	'file:///etc/passwd',
	'https://',
	'https:///',
	'//127.0.0.1',
	`https://127.0.0.1/${'x'.repeat(2_100)}`,
];

const TIMES = [
	'2026-03-01T11:00:00Z',
	'2026-03-01T11:00:00.123456+01:00',
	'1970-01-01T00:00:00Z',
	'9999-12-31T23:59:59Z',
	'0000-01-01T00:00:00Z',
	'2026-02-30T00:00:00Z',
	'2026-03-01T24:00:00Z',
	'2026-13-01T00:00:00Z',
	'2026-03-01',
	'+275760-09-13T00:00:00.001Z',
];

const WORDS = ['a', 'Hello', 'ops', 'CPU', 'ünï', '🚀', 'two words', 'x'.repeat(64)];

const matching = new Map<string, string[]>();

function textsMatching(pattern: string): string[] {
	let texts = matching.get(pattern);
	if (!texts) {
		const rule = new RegExp(pattern, 'u');
		const own = [...URLS, ...WORDS, ...TIMES].filter((text) => rule.test(text));
		let made: string[] = [];
		if (own.length < 2) {
			try {
				made = fc.sample(fc.stringMatching(rule), { seed: 1, numRuns: 20 });
			} catch {
				// A pattern with a look-around; values known by name will do.
				made = [];
			}
		}
		texts = [...own, ...made, 'a'];
		matching.set(pattern, texts);
	}
	return texts;
}

export class Values {
	readonly #random: Random;
	readonly #known: Known;

	constructor(random: Random, known: Known) {
		this.#random = random;
		this.#known = known;
	}

	/** A value that the schema mostly accepts: zod has rules that a schema cannot express. */
	of(schema: Schema, name = '', root = schema): unknown {
		const random = this.#random;
		if (schema.$ref !== undefined) {
			const target = root.$defs?.[schema.$ref.split('/').at(-1)!];
			return target ? this.of(target, name, root) : null;
		}
		if (name === 'content_state' && random.chance(0.5))
			return structuredClone(random.pick(Object.values(STATES)));
		if ('const' in schema) return schema.const;
		if (schema.enum) return random.pick(schema.enum);
		const options = schema.anyOf ?? schema.oneOf;
		if (options) return this.of(random.pick(options), name, root);
		const known =
			schema.type === 'object' || schema.type === 'array'
				? undefined
				: this.#known.pick(name, random);
		if (known !== undefined && random.chance(0.8)) return known;
		switch (schema.type) {
			case 'object':
				return this.#object(schema, root);
			case 'array': {
				const length = random.whole(
					schema.minItems ?? 0,
					Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + 3),
				);
				return [...new Set(Array.from({ length }, () => this.of(schema.items ?? {}, name, root)))];
			}
			case 'integer':
			case 'number':
				return this.#number(schema);
			case 'boolean':
				return random.chance(0.5);
			case 'null':
				return null;
			case 'string':
				return this.#text(schema);
			default:
				return random.chance(0.5) ? 1 : { a: 'b' };
		}
	}

	#object(schema: Schema, root: Schema): object {
		const random = this.#random;
		const required = new Set(schema.required ?? []);
		const eagerness = random.pick([0, 0.2, 0.6]);
		const object = {};
		for (const [name, property] of Object.entries(schema.properties ?? {})) {
			if (required.has(name) || random.chance(eagerness))
				withName(object, name, this.of(property, name, root));
		}
		if (!schema.properties && typeof schema.additionalProperties === 'object') {
			for (let count = random.whole(0, 3); count > 0; count -= 1)
				withName(object, `k${count}`, this.of(schema.additionalProperties, '', root));
		}
		return object;
	}

	#number({ type, minimum, maximum, exclusiveMinimum }: Schema): number {
		const low = Math.max(minimum ?? exclusiveMinimum ?? 0, -1e6);
		const high = Math.min(maximum ?? low + 100, low + 1e6);
		const random = this.#random;
		if (type === 'number' && random.chance(0.3)) return low + random.next() * (high - low);
		return random.whole(exclusiveMinimum === undefined ? low : low + 1, Math.max(low + 1, high));
	}

	#text({ format, pattern, minLength = 0, maxLength = 64 }: Schema): string {
		const random = this.#random;
		if (format === 'date-time') return random.pick(TIMES);
		if (format === 'uri') return random.pick(URLS);
		if (format === 'uuid') return uuid(random);
		if (pattern !== undefined) return random.pick(textsMatching(pattern));
		const fitting = WORDS.filter(({ length }) => length >= minLength && length <= maxLength);
		return fitting.length > 0 ? random.pick(fitting) : 'x'.repeat(minLength);
	}

	/** The value with one change in it. */
	changed(value: unknown): unknown {
		const random = this.#random;
		if (random.chance(0.05)) return oddValue(random);
		const places = placesIn(value);
		if (places.length === 0) return oddValue(random);
		const { parent, name } = random.pick(places);
		if (Array.isArray(parent)) {
			const at = Number(name);
			const change = random.whole(0, 2);
			if (change === 0) parent.splice(at, 1);
			else if (change === 1) parent.splice(at, 0, ...copiesOf(parent[at], random.pick([1, 60])));
			else parent[at] = oddValue(random);
			return value;
		}
		const change = random.whole(0, 5);
		if (change === 0) Reflect.deleteProperty(parent, name);
		else if (change === 1) withName(parent, random.pick(ODD_NAMES), oddValue(random));
		else withName(parent, name, oddValue(random));
		return value;
	}
}

export function uuid(random: Random): string {
	const hex = Array.from({ length: 32 }, () => random.whole(0, 15).toString(16)).join('');
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Bytes of JSON that copies of one value may add. */
const MOST_COPIED = 100_000;

/**
 * Copies that share nothing. Sixty references to one value, copied sixty times again and changed inside,
 * would be a small value in memory and gigabytes of JSON.
 */
function copiesOf(value: unknown, count: number): unknown[] {
	const text = JSON.stringify(value) as string | undefined;
	if (text === undefined) return Array<unknown>(count).fill(undefined);
	// Not structuredClone, which overflows the stack on deep values.
	return Array.from(
		{ length: text.length * count <= MOST_COPIED ? count : 1 },
		() => JSON.parse(text) as unknown,
	);
}

interface Place {
	parent: object;
	name: string;
}

/** As many as are useful: some values are very deep. */
const MOST_PLACES = 200;

function placesIn(value: unknown): Place[] {
	const places: Place[] = [];
	const open = [value];
	while (open.length > 0 && places.length < MOST_PLACES) {
		const parent = open.pop();
		if (typeof parent !== 'object' || parent === null) continue;
		for (const [name, inner] of Object.entries(parent).slice(0, MOST_PLACES)) {
			places.push({ parent, name });
			open.push(inner);
		}
	}
	return places;
}
