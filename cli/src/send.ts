import { readFile } from 'node:fs/promises';

import { SEQUENCE_HEADER, type BeckonCall } from '../../src/rules/call';
import { send } from './client';
import { Failure } from './failure';
import { readTexts } from './input';
import {
	CHANNELS,
	RECIPIENTS,
	REFUSE_LONG,
	collectedPairs,
	command,
	isNumber,
	option,
	readDuration,
	readNumber,
	toBody,
	toValues,
	type FieldOptions,
	type Values,
} from './options';
import { print } from './settings';

/** Sends a call to phones, and prints what it did on how many of them. */
async function sendToPhones(call: BeckonCall, done?: string): Promise<void> {
	const sent = await send(call);
	const { devices_notified: count = 0, operation = 'sent' } = sent;
	const phones = `${String(count)} ${count === 1 ? 'phone' : 'phones'}`;
	print(`${done ?? String(operation)}, on ${phones}`, sent);
}

const readButtons = collectedPairs((title, value) => {
	const [, method, url] = /^(?:(GET|POST) )?(.*)$/s.exec(value) ?? [];
	return method ? { type: 'webhook', title, method, url } : { type: 'open_url', title, url };
});

const PUSH: FieldOptions = [
	option('--subtitle <text>', 'subtitle', 'line under the title'),
	option('-l, --level <level>', 'interruption_level', 'passive, active, time-sensitive, critical'),
	option('--sound <name>', 'sound', 'name of the sound; none for silence'),
	option('--icon <url>', 'icon', 'URL of an icon to show next to the text (https)'),
	option('--media <url>', 'media', 'picture, audio or video, https'),
	option('--open <url>', 'redirection', 'what a tap opens'),
	option('--button <title=url>', 'actions', 'opens it; title="POST url" calls it', readButtons),
	...RECIPIENTS,
];

const toValue = (text: string) => (isNumber(text) ? Number(text) : text);

/** The type that a field of a Live Activity belongs to, for streams that begin without --type. */
const TYPES = new Map<string, string>();

/** An option of the content of a Live Activity. */
function shown(flags: string, field: string, words: string, read?: (text: string) => unknown) {
	const [, type] = /^(\w+): /.exec(words) ?? [];
	if (type !== undefined) TYPES.set(field, type);
	return option(flags, `content_state.${field}`, words, read);
}

const TYPE =
	'the layout, unless --percentage, --steps, --message, --value, --metric or --duration implies it';

const readMetrics = collectedPairs((label, value) => ({ label, value: toValue(value) }));

const STREAM: FieldOptions = [
	shown('--type <type>', 'type', TYPE),
	shown('--title <text>', 'title', 'first line, which its start needs'),
	shown('--subtitle <text>', 'subtitle', 'line under the title'),
	shown('--icon <symbol>', 'icon', "one of Apple's SF Symbols"),
	shown('--color <color>', 'color', 'main color'),
	shown('--percentage <number>', 'percentage', 'progress: from 0 to 100', readNumber),
	shown('--steps <number>', 'number_of_steps', 'segmented_progress: how many', readNumber),
	shown('--step <number>', 'current_step', 'segmented_progress: how many are done', readNumber),
	shown('--message <text>', 'message', 'alert: its text'),
	shown('--value <text>', 'value', 'value: shown in large type'),
	shown('--metric <label=value>', 'metrics', 'metrics: one of up to eight', readMetrics),
	shown('--duration <time>', 'duration_seconds', 'timer: such as 90s, 10m or 2h', readDuration),
	shown('--stay <time>', 'auto_dismiss_seconds', 'how long it stays after --end', readDuration),
	option('--alert <text>', 'alert.body', 'makes phones sound, with this text'),
	...RECIPIENTS,
];

export const sendCommands = [
	command('push <title> [message]', 'send a notification; - reads standard input', PUSH)
		.option('--image <file>', 'picture file on this machine, up to 2 MB')
		.option('--replaces <id>', 'take the last push with this id off the phones')
		.addOption(REFUSE_LONG)
		.action(async (title: string, message: string | undefined, options: Values) => {
			const { image, replaces } = options;
			const values = { ...toValues(PUSH, options), ...(await readTexts(title, message)) };
			const body = toBody(values, options);
			if (typeof image === 'string') {
				// The server looks at the first bytes.
				const picture = await readFile(image).catch(() => {
					throw new Failure(`${image} cannot be read. Check what --image names.`);
				});
				const upload = { body: picture, contentType: 'application/octet-stream' };
				const stored = await send({ method: 'POST', path: '/images', ...upload });
				body['media'] = stored['url'];
			}
			const headers = typeof replaces === 'string' ? { [SEQUENCE_HEADER]: replaces } : undefined;
			await sendToPhones({ method: 'POST', path: '/push-notification', body, headers });
		}),
	command('stream <key>', 'start, update or end the Live Activity with this key', STREAM)
		.option('--end', 'end it')
		.addOption(REFUSE_LONG)
		.action(async (key: string, options: Values) => {
			const state: Record<string, unknown> = {};
			const values = { content_state: state, ...toValues(STREAM, options) };
			const body = toBody(values, options);
			const [, type] = [...TYPES].find(([field]) => field in state) ?? [];
			if (type !== undefined) state['type'] ??= type;
			const path = `/live-activity/stream/${encodeURIComponent(key)}`;
			await sendToPhones({ method: options['end'] ? 'DELETE' : 'PUT', path, body });
		}),
	command('metric <key> <value>', 'set the value of a metric that was created in the console')
		.option('--text', 'send a value that looks like a number as text')
		.action(async (key: string, text: string, options: Values) => {
			const path = `/metrics/${encodeURIComponent(key)}/value`;
			const body = { value: options['text'] ? text : toValue(text) };
			print(`${key} is ${text}`, await send({ method: 'POST', path, body }));
		}),
	command('badge', 'set the number on the app icon; 0 clears it', [CHANNELS])
		.argument('<number>', 'a whole number', readNumber)
		.action(async (badge: number, options: Values) => {
			const body = toBody({ badge, ...toValues([CHANNELS], options) });
			await sendToPhones({ method: 'POST', path: '/badge', body }, 'set');
		}),
];
