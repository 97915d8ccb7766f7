import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import type { Gateways } from '../delivery/choose-gateway.ts';
import type { Config } from '../config.ts';
import { entries } from '../settings.ts';
import { findAccount } from '../service/accounts/accounts.ts';
import type { ActingContext } from '../service/audit.ts';
import type { AccountRow } from '../store/schema.ts';
import { type CommonOptions, fail, onData, type Output } from './run.ts';

/** An option of commander's, with the type of its value. */
type Typed<T> = Option & { value?: T };
type Options = Readonly<Record<string, Option>>;
/** Named as commander names them: `trialEnds` is the value of `--trial-ends`. */
export type Values<O> = CommonOptions & {
	[Name in keyof O]: O[Name] extends Typed<infer T> ? T : never;
};

/** A command as data: its help text, its options, and what it runs. */
export interface CommandData {
	about: string;
	options: Options;
	run: (options: CommonOptions) => Promise<void>;
}

interface CommandGroup {
	about: string;
	commands: Commands;
}

type Commands = Readonly<Record<string, CommandData | CommandGroup>>;

/** Commands that share their first word. */
export function group(about: string, commands: Commands): CommandGroup {
	return { about, commands };
}

/** Adds the commands of the tables to commander's program. A name may be followed by an argument, as in `show <id>`. */
export function addCommands(program: Command, commands: Commands): void {
	for (const [name, entry] of Object.entries(commands)) {
		const command = program.command(name).description(entry.about);
		if ('commands' in entry) addCommands(command, entry.commands);
		else {
			for (const option of Object.values(entry.options)) command.addOption(option);
			command.action(() => {
				const { registeredArguments: named, args } = command;
				const values = named.map((argument, at) => [argument.name(), args[at]]);
				const all = { ...command.opts(), ...Object.fromEntries(values) } as CommonOptions;
				return entry.run(all).catch((error: unknown) => fail(error, all));
			});
		}
	}
}

/**
 * An option that may be left out.
 * @param rule for the value; its message is a sentence, or one from the contract, such as `must be …`
 */
export function optional<T = string>(flags: string, about: string, rule?: z.ZodType<T>) {
	const option: Typed<T | undefined> = new Option(flags, about);
	if (!rule) return option;
	return option.argParser((value) => {
		const { data, error } = rule.safeParse(value);
		if (!error) return data;
		const message = error.issues[0]?.message ?? '';
		throw new InvalidArgumentError(message.startsWith('must') ? `It ${message}.` : message);
	});
}

/** An option that must be given, or has a default. */
export function required<T = string>(flags: string, about: string, rule?: z.ZodType<T>) {
	return optional(flags, about, rule).makeOptionMandatory() as Typed<T>;
}

/** The rule of an option that takes several names, separated by commas. */
export const names = entries.refine(
	({ length }) => length > 0,
	'Name at least one, or omit the option.',
);

/** The options of every command. */
export const COMMON = {
	data: optional('--data <dir>', 'folder of the data (setting BECKON_DATA)'),
	json: optional<boolean>('--json', 'print one JSON value instead of text'),
};

/** A command without the parts that all share. */
interface Spec<O, Run> {
	options?: O;
	/** Whether to create a missing store. */
	creates?: boolean;
	run: Run;
}

/** @typeParam Subject what the command acts on, in addition to the store */
type Run<O, Subject extends readonly unknown[]> = (
	context: ActingContext,
	...rest: [...Subject, options: Values<O>, config: Config, gateways: Gateways]
) => Promise<Output>;

/** A command on the store. */
export function dataCommand<O extends Options = typeof COMMON>(
	about: string,
	{ options, creates, run }: Spec<O, Run<O, []>>,
): CommandData {
	return {
		about,
		options: { ...COMMON, ...options },
		run: (given) =>
			onData(given, (context, ...rest) => run(context, given as Values<O>, ...rest), creates),
	};
}

/** A command on one account. */
export function accountCommand<O extends Options = typeof COMMON>(
	about: string,
	{ options, run }: Spec<O, Run<O, [account: AccountRow]>>,
): CommandData {
	const account = required('--account <account>', 'name or id of the account');
	return dataCommand(about, {
		options: { account, ...options },
		run: async (context, given, ...rest) =>
			run(context, await findAccount(context, given.account), given as Values<O>, ...rest),
	});
}

/**
 * The entries of a list: unchanged for scripts, and as a table for people.
 * @param columns by title: a field of the entry, or a function that formats it
 */
export function listing<T>(
	list: readonly T[],
	columns: Readonly<Record<string, keyof T | ((entry: T) => unknown)>>,
): Output {
	const padded = Object.entries(columns).map(([title, column]) => {
		const shown = (entry: T) => (typeof column === 'function' ? column(entry) : entry[column]);
		// Nothing for null, and commas between the values of an array.
		const cells = [title, ...list.map((entry) => [shown(entry)].flat().join(','))];
		const width = Math.max(...cells.map(({ length }) => length));
		return cells.map((text) => text.padEnd(width));
	});
	const toLine = (row: number) =>
		padded
			.map((cells) => cells[row])
			.join('  ')
			.trimEnd();
	return { json: list, lines: [0, ...list.map((_, index) => index + 1)].map(toLine) };
}
