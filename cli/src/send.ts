import { text } from 'node:stream/consumers';

import { Command } from 'commander';

import type { BeckonCall } from '../../src/rules/call';
import type { Tools } from './client';
import {
	CHANNEL,
	collectedPairs,
	given,
	option,
	readDuration,
	readNumber,
	sendingCommand,
	toFields,
	toRecipients,
	type FieldOption,
	type Options,
} from './options';

/** The counts in the answers of everything that is sent to phones. */
interface Sent {
	devices_notified?: number;
	operation?: string;
}

async function send({ client, print }: Tools, call: BeckonCall, words = ''): Promise<void> {
	const sent = await (await client()).send<Sent>(call);
	const { devices_notified: count = 0, operation = 'sent' } = sent;
	print(`${words || operation}, on ${count} ${count === 1 ? 'phone' : 'phones'}`, sent);
}

const PUSH: readonly FieldOption[] = [
	option('--subtitle <text>', 'subtitle', 'line under the title'),
	option(
		'-l, --level <level>',
		'interruption_level',
		'passive, active, time-sensitive or critical',
	),
	option('--sound <name>', 'sound', 'name of the sound; none for silence'),
	option('--icon <url>', 'icon', 'picture beside it, https'),
	option('--media <url>', 'media', 'picture, audio or video, https'),
	option('--open <url>', 'redirection', 'what a tap opens'),
];

export function pushCommand(tools: Tools): Command {
	return sendingCommand('push', PUSH)
		.description('send a notification')
		.argument('<title>')
		.argument('[message]', 'its text; - reads it from standard input')
		.action(async (title: string, words: string | undefined, options: Options) => {
			const message = words === '-' ? (await text(process.stdin)).trimEnd() : words;
			const body = {
				title,
				...given({ message }),
				...toFields(PUSH, options),
				...toRecipients(options),
			};
			await send(tools, { method: 'POST', path: '/push-notification', body });
		});
}

export function badgeCommand(tools: Tools): Command {
	return new Command('badge')
		.addOption(CHANNEL.added)
		.description('set the number on the app icon; 0 clears it')
		.argument('<number>', 'a whole number', readNumber)
		.action(async (badge: number, options: Options) => {
			const body = { badge, ...toRecipients(options) };
			await send(tools, { method: 'POST', path: '/badge', body }, 'set');
		});
}

export function metricCommand({ client, print }: Tools): Command {
	return new Command('metric')
		.description('set the value of a metric, which exists in the console')
		.argument('<key>')
		.argument('<value>', 'a number or a short text')
		.option('--text', 'send a value that looks like a number as text')
		.action(async (key: string, text: string, { text: isText }: { text?: boolean }) => {
			const path = `/metrics/${encodeURIComponent(key)}/value`;
			const body = { value: isText ? text : toValue(text) };
			print(`${key} is ${text}`, await (await client()).send({ method: 'POST', path, body }));
		});
}

function toValue(text: string): number | string {
	const number = Number(text);
	return text.trim() !== '' && Number.isFinite(number) ? number : text;
}

const STATE: readonly FieldOption[] = [
	option('--type <type>', 'type', 'layout; by default the one its fields belong to'),
	option('--title <text>', 'title', 'first line; required at the start'),
	option('--subtitle <text>', 'subtitle', 'line under the title'),
	option('--icon <symbol>', 'icon', "one of Apple's SF Symbols"),
	option('--color <color>', 'color', 'main color'),
	option('--percentage <number>', 'percentage', 'progress: from 0 to 100', readNumber),
	option('--steps <number>', 'number_of_steps', 'segmented_progress: number of steps', readNumber),
	option('--step <number>', 'current_step', 'segmented_progress: completed steps', readNumber),
	option('--message <text>', 'message', 'alert: its text'),
	option('--value <text>', 'value', 'value: shown in large type'),
	option(
		'--metric <label=value>',
		'metrics',
		'metrics or stats: one of up to eight',
		collectedPairs((label, value) => ({ label, value: toValue(value) })),
	),
	option('--duration <time>', 'duration_seconds', 'timer: such as 90s, 10m or 2h', readDuration),
	option('--stay <time>', 'auto_dismiss_seconds', 'with --end: how long it stays', readDuration),
];

/** The type that a field belongs to, for streams that begin without --type. */
const TYPE_OF = {
	percentage: 'progress',
	number_of_steps: 'segmented_progress',
	message: 'alert',
	value: 'value',
	metrics: 'metrics',
	duration_seconds: 'timer',
};

export function streamCommand(tools: Tools): Command {
	return sendingCommand('stream', STATE)
		.description('start, update or end a Live Activity')
		.argument('<key>', 'names it, for all later calls')
		.option('--alert <text>', 'makes phones sound, with this text')
		.option('--end', 'end it')
		.action(async (key: string, options: Options) => {
			const alert = options['alert'] === undefined ? undefined : { body: options['alert'] };
			await send(tools, {
				method: options['end'] ? 'DELETE' : 'PUT',
				path: `/live-activity/stream/${encodeURIComponent(key)}`,
				body: {
					content_state: toContentState(options),
					...given({ alert }),
					...toRecipients(options),
				},
			});
		});
}

function toContentState(options: Options): Options {
	const fields = toFields(STATE, options);
	const [, type] = Object.entries(TYPE_OF).find(([field]) => field in fields) ?? [];
	return { ...given({ type }), ...fields };
}
