import { InvalidArgumentError, Option } from 'commander';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Reads `90`, `90s`, `10m`, `2h` or `1d` as seconds. */
export function readDuration(text: string): number {
	const [, number, unit = 's'] = /^(\d+)([smhd]?)$/.exec(text) ?? [];
	if (number === undefined) throw new InvalidArgumentError('It looks like 90s, 10m, 2h or 1d.');
	return Number(number) * (SECONDS[unit || 's'] ?? 1);
}

export function readNumber(text: string): number {
	const number = Number(text);
	if (text.trim() === '' || !Number.isFinite(number)) {
		throw new InvalidArgumentError('It is not a number.');
	}
	return number;
}

/** Collects the values of an option that may be given several times. */
export function collected(text: string, earlier: string[] = []): string[] {
	return [...earlier, text];
}

/** Reads `name=value`. */
function readPair(text: string): [name: string, value: string] {
	const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
	if (name === undefined || value === undefined) {
		throw new InvalidArgumentError('It looks like name=value.');
	}
	return [name, value];
}

export function collectedPairs(
	text: string,
	earlier: Array<[string, string]> = [],
): Array<[string, string]> {
	return [...earlier, readPair(text)];
}

/** The options of everything that is sent to phones. */
export const recipientOptions = () => [
	new Option(
		'-c, --channel <slug>',
		'send to this channel only; may be given several times',
	).argParser(collected),
	new Option('-t, --tag <tag>', 'to find it in the history; may be given several times').argParser(
		collected,
	),
];

export interface RecipientOptions {
	channel?: string[];
	tag?: string[];
}

/** The part of a body that says who gets it, and its tags. */
export function toRecipients({ channel, tag }: RecipientOptions) {
	return { ...(channel && { target: { channels: channel } }), ...(tag && { tags: tag }) };
}

/** Without what was not given: the service refuses null and unknown fields. */
export function given<T extends Record<string, unknown>>(fields: T): Partial<T> {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined),
	) as Partial<T>;
}
