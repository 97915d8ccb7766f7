import { text } from 'node:stream/consumers';

import { Command, InvalidArgumentError, Option } from 'commander';

import {
	collectedPairs,
	given,
	readDuration,
	readNumber,
	recipientOptions,
	toRecipients,
	type RecipientOptions,
} from './options.ts';
import type { Tools } from './program.ts';

/** The counts in the answers of everything that is sent to phones. */
interface Sent {
	devices_notified?: number;
	devices_updated?: number;
	devices_queued?: number;
	operation?: string;
}

function toPhones({ devices_notified: notified = 0, devices_updated: updated }: Sent): string {
	const count = updated ?? notified;
	return count === 1 ? '1 phone' : `${count} phones`;
}

interface PushOptions extends RecipientOptions {
	subtitle?: string;
	level?: string;
	sound?: string;
	icon?: string;
	media?: string;
	open?: string;
}

export function pushCommand({ client, print }: Tools): Command {
	const command = new Command('push')
		.description('send a notification')
		.argument('<title>')
		.argument('[message]', 'its text; - reads it from standard input')
		.option('--subtitle <text>', 'line under the title')
		.option('-l, --level <level>', 'passive, active, time-sensitive or critical')
		.option('--sound <name>', 'name of the sound; none for silence')
		.option('--icon <url>', 'picture beside it, https')
		.option('--media <url>', 'picture, audio or video in it, https')
		.option('--open <url>', 'what a tap opens');
	for (const option of recipientOptions()) command.addOption(option);
	return command.action(
		async (title: string, message: string | undefined, options: PushOptions) => {
			const { subtitle, level, sound, icon, media, open } = options;
			const body = given({
				title,
				message: message === '-' ? (await text(process.stdin)).trimEnd() : message,
				subtitle,
				interruption_level: level,
				sound,
				icon,
				media,
				redirection: open,
				...toRecipients(options),
			});
			const sent = await (
				await client()
			).send<Sent>({ method: 'POST', path: '/push-notification', body });
			print(`Sent to ${toPhones(sent)}.`, sent);
		},
	);
}

export function badgeCommand({ client, print }: Tools): Command {
	const [channel] = recipientOptions();
	const command = new Command('badge')
		.description('set the number on the app icon; 0 clears it')
		.argument('<number>', 'a whole number', readNumber);
	if (channel) command.addOption(channel);
	return command.action(async (badge: number, options: RecipientOptions) => {
		const body = { badge, ...toRecipients(options) };
		const sent = await (await client()).send<Sent>({ method: 'POST', path: '/badge', body });
		print(`Set on ${toPhones(sent)}.`, sent);
	});
}

export function metricCommand({ client, print }: Tools): Command {
	return new Command('metric')
		.description('set the value of a metric, which exists in the console')
		.argument('<key>')
		.argument('<value>', 'a number or a short text')
		.option('--text', 'send a value that looks like a number as text')
		.action(async (key: string, value: string, { text: isText }: { text?: boolean }) => {
			const number = Number(value);
			const isNumber = !isText && value.trim() !== '' && Number.isFinite(number);
			const sent = await (
				await client()
			).send({
				method: 'POST',
				path: `/metrics/${encodeURIComponent(key)}/value`,
				body: { value: isNumber ? number : value },
			});
			print(`${key} is ${value}.`, sent);
		});
}

interface StreamOptions extends RecipientOptions {
	type?: string;
	title?: string;
	subtitle?: string;
	icon?: string;
	color?: string;
	percentage?: number;
	steps?: number;
	step?: number;
	message?: string;
	value?: string;
	metric?: Array<[label: string, value: string]>;
	duration?: number;
	alert?: string;
	end?: boolean;
	stay?: number;
}

/** The type that a field belongs to, for streams that begin without --type. */
const TYPE_OF: ReadonlyArray<[keyof StreamOptions, type: string]> = [
	['percentage', 'progress'],
	['steps', 'segmented_progress'],
	['message', 'alert'],
	['value', 'value'],
	['metric', 'metrics'],
	['duration', 'timer'],
];

function toContentState(options: StreamOptions) {
	const { title, subtitle, icon, color, percentage, steps, step, message, value } = options;
	const [, implied] = TYPE_OF.find(([field]) => options[field] !== undefined) ?? [];
	return given({
		type: options.type ?? implied,
		title,
		subtitle,
		icon,
		color,
		percentage,
		number_of_steps: steps,
		current_step: step,
		message,
		value,
		metrics: options.metric?.map(([label, text]) => {
			const number = Number(text);
			return { label, value: Number.isFinite(number) ? number : text };
		}),
		duration_seconds: options.duration,
		auto_dismiss_minutes: options.stay === undefined ? undefined : options.stay / 60,
	});
}

export function streamCommand({ client, print }: Tools): Command {
	const command = new Command('stream')
		.description('start, update or end a Live Activity')
		.argument('<key>', 'names it, for all later calls')
		.option(
			'--type <type>',
			'its layout: progress, segmented_progress, timer, value, metrics, stats or alert; by default the one its fields belong to',
		)
		.option('--title <text>', 'first line; required at the start')
		.option('--subtitle <text>', 'line under the title')
		.option('--icon <symbol>', "name of one of Apple's SF Symbols")
		.option('--color <color>', 'main color')
		.option('--percentage <number>', 'progress: from 0 to 100', readNumber)
		.option('--steps <number>', 'segmented_progress: number of steps', readNumber)
		.option('--step <number>', 'segmented_progress: number of completed steps', readNumber)
		.option('--message <text>', 'alert: its text')
		.option('--value <text>', 'value: what is shown in large type')
		.option('--metric <label=value>', 'metrics or stats: one of up to eight', collectedPairs)
		.option('--duration <time>', 'timer: such as 90s, 10m or 2h', readDuration)
		.option('--alert <text>', 'makes phones sound, with this text')
		.option('--end', 'end it')
		.addOption(
			new Option('--stay <time>', 'with --end: how long it stays, such as 10m').argParser(
				readMinutes,
			),
		);
	for (const option of recipientOptions()) command.addOption(option);
	return command.action(async (key: string, options: StreamOptions) => {
		const { target, ...recipients } = toRecipients(options);
		const state = toContentState(options);
		const body = given({
			...(!options.end || Object.keys(state).length > 0 ? { content_state: state } : {}),
			alert: options.alert === undefined ? undefined : { body: options.alert },
			...recipients,
			...(!options.end && target && { target }),
		});
		const method = options.end ? 'DELETE' : 'PUT';
		const path = `/live-activity/stream/${encodeURIComponent(key)}`;
		const sent = await (await client()).send<Sent>({ method, path, body });
		print(`${key}: ${sent.operation ?? 'sent'}, on ${toPhones(sent)}.`, sent);
	});
}

function readMinutes(text: string): number {
	const seconds = readDuration(text);
	if (seconds % 60 !== 0) throw new InvalidArgumentError('It is a number of whole minutes.');
	return seconds;
}
