import { Command, InvalidArgumentError, Option } from 'commander';

import { isObject, type Refusal } from '../../src/rules/answer';
import { Failure, warn } from './failure';
import { MAX_LENGTHS } from './longest';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Reads `90`, `90s`, `10m`, `2h` or `1d` as seconds. */
export function readDuration(text: string): number {
	const [, number, unit = 's'] = /^(\d+)([smhd]?)$/.exec(text) ?? [];
	if (number === undefined) throw new InvalidArgumentError('Use a duration: 90s, 10m or 1d.');
	return Number(number) * (SECONDS[unit || 's'] ?? 1);
}

export const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

export function readNumber(text: string): number {
	if (isNumber(text)) return Number(text);
	throw new InvalidArgumentError('It is not a number.');
}

/** Collects the values of an option that may be given several times. */
export const collected = (text: string, earlier: string[] = []) => [...earlier, text];

/** Collects values like `name=value`, each converted to the form that the service takes. */
export function collectedPairs<T>(toItem: (name: string, value: string) => T) {
	return (text: string, earlier: T[] = []): T[] => {
		const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
		if (name && value) return [...earlier, toItem(name, value)];
		throw new InvalidArgumentError('Write it as name=value.');
	};
}

/** Options, and the paths of the fields that they fill in the body of a request. */
export type FieldOptions = ReadonlyArray<ReturnType<typeof option>>;

/** Parses the text of an option, given the value of an earlier option of the same name. */
type Reader<T> = (text: string, earlier?: T) => T;

/** Every option that fills a field, by the path of the field. */
const FILLS = new Map<string, Option>();

/** An option that fills a field, named by its path. */
export function option<T>(flags: string, path: string, description: string, read?: Reader<T>) {
	const added = new Option(flags, description);
	if (read) added.argParser(read);
	FILLS.set(path, added);
	return { added, path };
}

const CHANNEL = '-c, --channel <slug>';

export const CHANNELS = option(CHANNEL, 'target.channels', 'a channel; repeatable', collected);

export const RECIPIENTS = [
	CHANNELS,
	option('-t, --tag <tag>', 'tags', 'to find it in the history; repeatable', collected),
];

export const REFUSE_LONG = new Option('--refuse-long', 'refuse texts that would have to be cut');

/** A command, its arguments as in its usage, and the options that fill fields. */
export function command(usage: string, description: string, fields: FieldOptions = []) {
	const [name = '', ...args] = usage.split(' ');
	const added = new Command(name).description(description);
	if (args.length > 0) added.arguments(args.join(' '));
	for (const field of fields) added.addOption(field.added);
	return added;
}

export type Values = Readonly<Record<string, unknown>>;

/** The values of options by the paths of their fields. */
export function toValues(table: FieldOptions, options: Values): Record<string, unknown> {
	return Object.fromEntries(table.map(({ added, path }) => [path, options[added.attributeName()]]));
}

/**
 * A body from values by their paths, such as `deadline.choice`. Undefined values are left out, since the service refuses
 * null. Texts that are too long are cut, with a warning.
 * @throws Failure for a text that is too long if the options have `refuseLong`
 */
export function toBody(values: Values, { refuseLong }: Values = {}): Record<string, unknown> {
	const body: Record<string, unknown> = {};
	for (const [path, value] of Object.entries(values)) {
		const parents = path.split('.');
		const name = parents.pop() ?? path;
		if (value === undefined) continue;
		let inner = body;
		for (const parent of parents) inner = (inner[parent] ??= {}) as Record<string, unknown>;
		inner[name] = typeof value === 'string' ? fitted(path, value, refuseLong === true) : value;
	}
	return body;
}

/** The service counts characters in code points. */
function fitted(path: string, text: string, isRefused: boolean): string {
	const characters = Array.from(text);
	const longest = MAX_LENGTHS[path] ?? Infinity;
	if (characters.length <= longest) return text;
	const rule = `${nameOf(path)} is longer than ${longest} characters`;
	if (isRefused) throw new Failure(`${rule}.`);
	warn(`${rule} and was cut. --refuse-long sends nothing instead.`);
	return `${characters.slice(0, longest - 1).join('')}…`;
}

/**
 * The option that fills a field, its parent or a part of it; undefined for arguments, which are named like their field.
 */
function optionFor(path: string): Option | undefined {
	const field = `${path.replaceAll(/\[\d+\]/g, '')}.`;
	const around = [...FILLS].find(([known]) => field.startsWith(`${known}.`));
	return (around ?? [...FILLS].find(([known]) => known.startsWith(field)))?.[1];
}

const nameOf = (path: string) => optionFor(path)?.long ?? path;

/** The text of a refusal, naming options instead of fields. */
export function inOptions({ error, message, issues }: Refusal): string {
	if (!Array.isArray(issues)) return (message ?? error).replaceAll(/[a-z_]+(\.[a-z_]+)+/g, nameOf);
	const sentences = issues.filter(isObject).map(({ path, message: rule }) => {
		const { description } = optionFor(String(path)) ?? {};
		const help = rule === 'is required' && description ? `: ${description}` : '';
		const [, unit = ''] = /_(seconds|minutes)$/.exec(String(path)) ?? [];
		const words = String(rule).replace(/whole number.*/, (range) => `${range} ${unit}`.trim());
		return `${nameOf(String(path))} ${words}${help}.`;
	});
	return sentences.join(' ');
}
