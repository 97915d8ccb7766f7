import { Command, InvalidArgumentError, Option } from 'commander';

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

/** Collects values like `name=value`, of which it makes what the service takes. */
export function collectedPairs<T>(toItem: (name: string, value: string) => T) {
	return (text: string, earlier: T[] = []): T[] => {
		const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
		if (name && value) return [...earlier, toItem(name, value)];
		throw new InvalidArgumentError('It looks like name=value.');
	};
}

/** An option, and the field of the request that it fills. */
export interface FieldOption {
	added: Option;
	field: string;
}

/** @param read reads its text, given the value of an earlier option of the same name */
export function option<T>(
	flags: string,
	field: string,
	description: string,
	read?: (text: string, earlier?: T) => T,
): FieldOption {
	const added = new Option(flags, description);
	return { added: read ? added.argParser(read) : added, field };
}

export const CHANNEL = option(
	'-c, --channel <slug>',
	'channels',
	'send to this one; repeatable',
	collected,
);

const TAG = option('-t, --tag <tag>', 'tags', 'to find it in the history; repeatable', collected);

/** A command whose message has recipients, and tags in the history. */
export function sendingCommand(name: string, fields: readonly FieldOption[] = []): Command {
	const command = new Command(name);
	for (const { added } of [...fields, CHANNEL, TAG]) command.addOption(added);
	return command;
}

export type Options = Readonly<Record<string, unknown>>;

/** The fields that options fill. */
export function toFields(table: readonly FieldOption[], options: Options): Options {
	return given(
		Object.fromEntries(table.map(({ added, field }) => [field, options[added.attributeName()]])),
	);
}

/** The part of a body that says who gets it, and its tags. */
export function toRecipients(options: Options): { target?: unknown; tags?: unknown } {
	const { channels, tags } = toFields([CHANNEL, TAG], options);
	return given({ target: channels && { channels }, tags });
}

/** Without what was not given: the service refuses null. */
export function given<T extends Options>(fields: T): Partial<T> {
	const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
	return Object.fromEntries(entries) as Partial<T>;
}
