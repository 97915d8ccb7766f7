import { isResourceLocatorValue, jsonParse, tryToParseDateTime } from 'n8n-workflow';

import { InvalidRequest, type Issue } from './issues';
import { readList } from './list';
import { oneOf, type Rule } from './rules';

/** The source of field values: a node's parameters, or one row of a collection. */
export interface FieldSource {
	/** The value with its expressions resolved; undefined or null if there is none. */
	valueOf: (parameter: string) => unknown;
	timezone: string;
	/** Takes a sentence for the author. */
	hint?: (words: string) => unknown;
}

/** The option for texts that are too long, and its value for sending them uncut. */
export const IF_TOO_LONG = 'options.ifTooLong';
export const REFUSE = 'refuse';

/**
 * Reads the user's input and turns it into the values that the request needs. Every method takes the
 * field's name in the request and its parameter, returns undefined for a field left empty, and collects
 * broken rules, so {@link assertValid} reports all mistakes at once.
 */
export class FieldReader {
	private readonly source: FieldSource;

	private readonly prefix: string;

	private readonly issues: Issue[];

	constructor(source: FieldSource, prefix = '', issues: Issue[] = []) {
		this.source = source;
		this.prefix = prefix;
		this.issues = issues;
	}

	/** A reader of the same parameters whose fields lie inside `name` in the request. */
	inside(name: string): FieldReader {
		return new FieldReader(this.source, this.pathOf(name), this.issues);
	}

	/** One reader for each row of a fixed collection. */
	rows(name: string, parameter: string): FieldReader[] {
		return this.rowValues(parameter).map((row, index) => this.rowReader(row, `${name}[${index}]`));
	}

	/** The reader of a fixed collection that holds at most one row. An option that was added has its row. */
	row(name: string, parameter: string): FieldReader | undefined {
		const [row] = this.rowValues(parameter);
		const [collection, option, group] = parameter.split('.');
		if (!row && group !== undefined && this.has(`${collection}.${option}`)) {
			return this.broken(name, 'is empty: fill in its fields one by one, or remove it');
		}
		return row && this.rowReader(row, name);
	}

	text(name: string, parameter: string, rule?: Rule<string>): string | undefined {
		const value = this.given(parameter);
		if (value === undefined) return undefined;
		const text = obviousText(value);
		return text === undefined
			? this.broken(name, `must be text, but this is ${describeValue(value)}`)
			: this.checked(name, this.fitted(name, text, rule), rule);
	}

	/** The text, cut if that is allowed and needed. The service counts characters in code points. */
	fitted(
		name: string,
		text: string,
		{ cutAt: most = Infinity }: Partial<Rule<string>> = {},
	): string {
		const characters = text.length > most ? Array.from(text.trim()) : [];
		if (characters.length <= most || this.source.valueOf(IF_TOO_LONG) === REFUSE) return text;
		this.source.hint?.(
			`Cut ${this.pathOf(name)}, which is longer than the server takes. The option If Too Long can refuse it instead.`,
		);
		return `${characters.slice(0, most - 1).join('')}…`;
	}

	/** One of a list's values. Only for fields that are shown: an empty one counts as not in the list. */
	choice(name: string, parameter: string, values: readonly string[]): string | undefined {
		const isListed = oneOf(values);
		return this.required(name, this.text(name, parameter, isListed), isListed(''));
	}

	number(name: string, parameter: string, rule?: Rule<number>): number | undefined {
		const value = this.given(parameter);
		if (value === undefined) return undefined;
		const number = numberIn(value);
		return number === undefined
			? this.broken(
					name,
					`must be a ${typeof value === 'number' ? `finite number, not ${value}` : 'number'}`,
				)
			: this.checked(name, number, rule);
	}

	wholeNumber(name: string, parameter: string, rule?: Rule<number>): number | undefined {
		return this.number(name, parameter, (value) =>
			Number.isInteger(value) ? rule?.(value) : 'must be a whole number',
		);
	}

	/**
	 * A number if the value is written as one (`42`, `-0.5`), otherwise the text (`007`, `1.10`,
	 * `3 of 5`). White space around it is ignored: the output of a command ends with a newline.
	 */
	numberOrText(
		name: string,
		parameter: string,
		rules: { text?: Rule<string>; number?: Rule<number> } = {},
	): number | string | undefined {
		const value = this.given(parameter);
		return typeof value === 'number' || (typeof value === 'string' && isWrittenAsNumber(value))
			? this.number(name, parameter, rules.number)
			: this.text(name, parameter, (text) => rules.text?.(text.trim()))?.trim();
	}

	flag(name: string, parameter: string): boolean | undefined {
		const value = this.given(parameter);
		if (value === undefined || typeof value === 'boolean') return value;
		if (value === 'true' || value === 'false') return value === 'true';
		return this.broken(name, 'must be true or false');
	}

	/** A JSON object, given as an object or as its text. An empty one counts as left empty. */
	object(name: string, parameter: string): object | undefined {
		const value = this.given(parameter);
		if (value === undefined) return undefined;
		const parsed = typeof value === 'string' ? jsonParse(value, { fallbackValue: null }) : value;
		if (!isObject(parsed)) {
			return this.broken(name, 'must be an object, written as JSON like {"order": 42}');
		}
		return Object.keys(parsed).length > 0 ? parsed : undefined;
	}

	list(
		name: string,
		parameter: string,
		rules: { entry?: Rule<string>; list?: Rule<string[]> },
	): string[] | undefined {
		const value = this.given(parameter);
		const odd = [value].flat().find((one) => one && obviousText(one) === undefined);
		if (odd) return this.broken(name, `must be a list of texts, but has ${describeValue(odd)}`);
		const entries = readList(value);
		if (entries === undefined) return undefined;
		entries.forEach((entry, index) => this.checked(`${name}[${index}]`, entry, rules.entry));
		return this.checked(name, entries, rules.list);
	}

	/** A point in time as RFC 3339, from a text, a Date, a luxon DateTime or a Unix time. */
	instant(name: string, parameter: string): string | undefined {
		const value = this.given(parameter);
		if (value === undefined) return undefined;
		try {
			return tryToParseDateTime(toDate(value), this.source.timezone).toISO() ?? undefined;
		} catch {
			return this.broken(name, 'must be a date and time, like 2026-01-31T09:30:00Z');
		}
	}

	/** The value itself; a missing one is reported in the service's words. */
	required<T>(name: string, value: T | undefined, words = 'is required'): T | undefined {
		const isReported = this.issues.some(({ path }) => path === this.pathOf(name));
		return value === undefined && !isReported ? this.broken(name, words) : value;
	}

	/** The value itself; a broken rule is reported. */
	checked<T>(name: string, value: T, rule?: Rule<T>): T {
		const words = rule?.(value);
		if (words !== undefined) this.broken(name, words);
		return value;
	}

	/** Reports a rule that several fields break together. */
	broken(name: string, words: string): undefined {
		this.issues.push({ path: this.pathOf(name), message: words });
	}

	/** True if the user filled it in. */
	has(parameter: string): boolean {
		return this.given(parameter) !== undefined;
	}

	/**
	 * Runs code that reads fields itself, and reports the rules it finds broken together with those found here.
	 * @param otherwise the result if rules are broken
	 */
	async collecting<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
		return await work().catch((error: unknown) => {
			if (!(error instanceof InvalidRequest)) throw error;
			this.issues.push(...error.issues.filter((issue) => !this.isKnown(issue)));
			return otherwise;
		});
	}

	/**
	 * @param named adds the users' names of the fields to the issues
	 * @throws InvalidRequest naming every field that breaks a rule
	 */
	assertValid(named = (issues: readonly Issue[]) => issues): void {
		if (this.issues.length > 0) throw new InvalidRequest(named(this.issues));
	}

	private isKnown({ path, message }: Issue): boolean {
		return this.issues.some((known) => known.path === path && known.message === message);
	}

	private given(parameter: string): unknown {
		const stored = this.source.valueOf(parameter);
		const value = isResourceLocatorValue(stored) ? stored.value : stored;
		return value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value;
	}

	private rowValues(parameter: string): Array<Record<string, unknown>> {
		const value = this.given(parameter);
		if (typeof value !== 'object') return [];
		return (Array.isArray(value) ? value : [value]) as Array<Record<string, unknown>>;
	}

	private rowReader(row: Record<string, unknown>, name: string): FieldReader {
		const source = {
			valueOf: (path: string) => valueAt(row, path),
			timezone: this.source.timezone,
		};
		return new FieldReader(source, this.pathOf(name), this.issues);
	}

	private pathOf(name: string): string {
		return this.prefix === '' ? name : `${this.prefix}.${name}`;
	}
}

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of names separated by dots. */
export function valueAt(value: unknown, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>((inside, name) => (isObject(inside) ? inside[name] : undefined), value);
}

/** A value in its obvious written form: a date as ISO 8601. Undefined if it has none. */
function obviousText(value: unknown): string | undefined {
	if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
	if (isDateTime(value)) return value.toISO() ?? undefined;
	const isScalar = ['string', 'number', 'boolean', 'bigint'].includes(typeof value);
	return isScalar ? String(value) : undefined;
}

/** A luxon DateTime, such as `$now`, whichever copy of luxon made it. */
function isDateTime(value: unknown): value is { toISO: () => string | null } {
	return typeof (value as { toISO?: unknown }).toISO === 'function';
}

const FIELDS_TOLD = 5;

/** Describes a value without an obvious text, in words that help to choose a part of it. */
function describeValue(value: unknown): string {
	if (Array.isArray(value)) return 'a list: join its entries, like {{ $json.names.join(", ") }}';
	const names = Object.keys(value ?? {});
	if (names.length === 0) return 'an object without fields';
	const told = names.slice(0, FIELDS_TOLD).join(', ');
	return `an object: choose one of its fields (${told}${names.length > FIELDS_TOLD ? ', …' : ''})`;
}

function isWrittenAsNumber(text: string): boolean {
	return Number.isFinite(Number(text)) && String(Number(text)) === text.trim();
}

function numberIn(value: unknown): number | undefined {
	const number = typeof value === 'string' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Unix times below this are in seconds: as milliseconds they would lie in the early 1970s. */
const SMALLEST_MILLISECONDS = 1e11;

function toDate(value: unknown): unknown {
	const isUnixTime =
		typeof value === 'number' || (typeof value === 'string' && /^\d{10,}$/.test(value));
	if (!isUnixTime) return value;
	const time = Number(value);
	return new Date(time < SMALLEST_MILLISECONDS ? time * 1000 : time);
}
