import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path/posix';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sequenceId } from '../../contract/push-headers.ts';
import type { Context } from '../../service/context.ts';
import { invalid, Refusal, requireValid } from '../../service/refusal.ts';
import { sendPush } from '../../service/sending/pushes.ts';
import { clearSequence } from '../../service/sending/sequences.ts';
import { requireCaller, type KeyIn } from '../gate.ts';
import { DEFAULT_PRIORITY, toLevel, toPush } from './foreign-push.ts';
import { authorizationKey, queryText, type Sender } from './sender.ts';
import { jsonIn, toButtons } from './ntfy-actions.ts';
import { type Fields, readParameters, published } from './ntfy-fields.ts';
import type { TypedApp } from '../typed-app.ts';

/** ntfy's own error codes, by the status they begin with. */
const CODES: Record<number, number> = { 401: 40101, 403: 40301, 429: 42901, 500: 50001 };

/** Emojis before a title, which has little room on a lock screen. */
const MAX_EMOJIS = 5;

/** The text that ntfy gives a message without one. */
const NO_MESSAGE = 'triggered';

const PRIORITIES: Record<string, number> = { min: 1, low: 2, high: 4, max: 5, urgent: 5 };

/** Parameters that Beckon does not support, and what the sender can do instead. */
const UNSUPPORTED = {
	delay: 'Beckon delivers every message at once: send it without a delay.',
	email: 'Beckon sends no email. Send it without an address.',
	call: 'Beckon makes no phone calls. Send it without a number.',
	template:
		'Beckon fills in no templates: send the finished title and message, for example from n8n.',
	unifiedpush: 'Beckon is not a UnifiedPush server: use ntfy for apps that need one.',
} as const satisfies Partial<Record<keyof Fields, string>>;

const keyIn = (request: FastifyRequest) =>
	authorizationKey(Buffer.from(queryText(request, 'auth') ?? '', 'base64').toString()) ??
	authorizationKey(request.headers.authorization);

/** Publishing as ntfy does (https://docs.ntfy.sh/publish/). The topic names the channel. */
export const ntfy: Sender = {
	name: 'ntfy',
	feature: 'notifications',

	keyIn,

	toRefusal: ({ status, body }) => ({
		code: CODES[status] ?? status * 100,
		http: status,
		error: body.message,
	}),

	register(app, { context }) {
		app.removeAllContentTypeParsers();
		app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
			done(null, body);
		});
		for (const url of ['/ntfy/:topic', '/ntfy/:topic/:sequence_id'])
			app.route({
				method: ['POST', 'PUT'],
				url,
				schema: { params: z.object({ topic: z.string(), sequence_id: z.string().optional() }) },
				handler: (request) => {
					const { topic, sequence_id } = request.params;
					const fields = readParameters(request);
					if (fields.filename !== undefined && fields.attach === undefined) throw noUpload();
					const message = readText(request);
					return publish(context, request, topic, {
						...fields,
						...(message !== '' && { message }),
						...(sequence_id !== undefined && { sequence_id }),
					});
				},
			});
		for (const verb of ['publish', 'send', 'trigger'])
			app.get(
				`/ntfy/:topic/${verb}`,
				{ schema: { params: z.object({ topic: z.string() }) }, exposeHeadRoute: false },
				(request) => publish(context, request, request.params.topic, readParameters(request)),
			);
		registerAccount(app, context, keyIn);
		for (const [method, end, event] of CLEARING)
			app.route({
				method,
				url: `/ntfy/:topic/:sequence_id${end}`,
				schema: { params: z.object({ topic: z.string(), sequence_id: sequenceId }) },
				handler: async (request) => {
					const { topic, sequence_id } = request.params;
					await clearSequence(context, requireCaller(request), [topic], sequence_id);
					return { ...newEvent(context, event, topic), sequence_id };
				},
			});
		// Apprise sends to the root: it takes a host, but no path.
		for (const url of ['/ntfy', '/ntfy/', '/'])
			app.post(url, (request) => {
				const { topic, ...fields } = messageIn(request);
				return publish(context, request, topic, { ...readParameters(request), ...fields });
			});
	},
};

/** Clearing and deleting both remove the message from the screens; the history of the phones keeps it. */
const CLEARING = [
	['PUT', '/clear', 'message_clear'],
	['PUT', '/read', 'message_clear'],
	['DELETE', '', 'message_delete'],
] as const;

/** The beginning of every response. */
function newEvent({ now }: Context, event: string, topic: string) {
	const id = randomBytes(9).toString('base64url');
	return { id, time: Math.floor(now() / 1_000), event, topic };
}

/** Control characters, which occur in files but not in text. */
const BINARY_CHARACTERS = /[\0-\u0008\u000E-\u001F]/;

/**
 * The body as text: in the charset that its type names, or Latin-1 if it is not UTF-8.
 * @throws Refusal `invalid` for a file
 */
function readText({ body, headers }: FastifyRequest): string {
	const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
	const [, named] = /;\s*charset="?([\w-]+)/i.exec(headers['content-type'] ?? '') ?? [];
	if (isUtf8(bytes) && /^(utf-?8|us-ascii)$/i.test(named ?? 'utf-8'))
		return bytes.toString().trim();
	const text = decoded(bytes, named && !/^utf-?8$/i.test(named) ? named : 'latin1');
	if (BINARY_CHARACTERS.test(text)) throw noUpload();
	return text.trim();
}

function decoded(bytes: Buffer, charset: string): string {
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		throw unsupported('The charset of the Content-Type is unknown here: send UTF-8.');
	}
}

/** @throws Refusal `invalid` if the body is not a message */
function messageIn(request: FastifyRequest): z.output<typeof published> {
	const message = requireValid(published, jsonIn(readText(request)));
	const sent = Object.entries<unknown>(message).filter(([, value]) => value !== undefined);
	return Object.fromEntries(sent) as z.output<typeof published>;
}

/** @throws Refusal like `sendPush`, and `invalid` for anything that would change the meaning */
async function publish(context: Context, request: FastifyRequest, topic: string, fields: Fields) {
	for (const [field, why] of Object.entries(UNSUPPORTED)) {
		const value = fields[field as keyof typeof UNSUPPORTED] || 'no';
		if (!/^(no|0|false)$/i.test(value)) throw unsupported(why);
	}
	const priority = toPriority(fields.priority);
	const push = toPush(
		{
			title: [...(await drawn(fields.tags ?? [])), fields.title?.trim() || topic].join(' '),
			message: fields.message || NO_MESSAGE,
			level: toLevel(priority),
			tags: fields.tags ?? [],
			click: fields.click,
			icon: fields.icon,
			picture: fields.attach,
			buttons: toButtons(fields.actions),
		},
		context,
	);
	const isMarkdown = wantsMarkdown(request, fields);
	const caller = { ...requireCaller(request), isMarkdown };
	const event = newEvent(context, 'message', topic);
	const { sequence_id } = requireValid(sequenced, fields);
	// A message can also be replaced by its id.
	const options = { sequenceId: sequence_id ?? event.id };
	await sendPush(context, caller, { ...push, target: { channels: [topic] } }, options);
	return {
		...event,
		sequence_id,
		title: fields.title,
		message: push.message,
		...(fields.priority !== undefined && { priority }),
		tags: push.tags,
		click: push.redirection,
		icon: push.icon,
		...(isMarkdown && { content_type: MARKDOWN }),
		...(push.media && {
			attachment: { name: fields.filename ?? nameIn(push.media), url: push.media },
		}),
	};
}

const nameIn = (url: string) => basename(new URL(url).pathname) || 'attachment';

/** The emojis that tags name (https://docs.ntfy.sh/emojis/), which stand before the title. */
async function drawn(tags: readonly unknown[]): Promise<string[]> {
	if (tags.length === 0) return [];
	// Loaded with the first tag: it takes memory.
	const { nameToEmoji } = await import('gemoji');
	const texts = tags.filter((tag) => typeof tag !== 'object').map(String);
	const names = texts.filter((name) => Object.hasOwn(nameToEmoji, name));
	return names.slice(0, MAX_EMOJIS).map((name) => nameToEmoji[name] ?? '');
}

const sequenced = z.object({ sequence_id: sequenceId.optional() });

const MARKDOWN = 'text/markdown';

/** Decided by the parameter or, without it, by the type of the body. */
function wantsMarkdown({ headers }: FastifyRequest, { markdown }: Fields): boolean {
	if (markdown !== undefined) return /^(1|yes|true)$/i.test(String(markdown));
	return headers['content-type']?.toLowerCase().startsWith(MARKDOWN) ?? false;
}

/** From 1 to 5; anything else counts as the default, so that no message is rejected over it. */
function toPriority(given: string | number = DEFAULT_PRIORITY): number {
	const priority = PRIORITIES[String(given).toLowerCase()] ?? Number(given);
	return [1, 2, 3, 4, 5].includes(priority) ? priority : DEFAULT_PRIORITY;
}

function unsupported(sentences: string): Refusal {
	return invalid('Not supported', sentences);
}

const noUpload = () =>
	unsupported(
		'Beckon accepts no files. Send UTF-8 text without a file name, and the URL of a picture as Attach.',
	);

/** Numbers that ntfy's servers count for a client. Beckon does not, so they are zero. */
const COUNTED = ['messages', 'emails', 'calls', 'reservations', 'attachment_total_size'];

const ACCOUNT = {
	username: 'beckon',
	role: 'user',
	stats: Object.fromEntries(
		COUNTED.flatMap((name) => [
			[name, 0],
			[`${name}_remaining`, 0],
		]),
	),
};

/**
 * The account calls that Home Assistant's ntfy integration makes when it is set up: who it is, a token to use from then on
 * (the key that it already has), and whether it may subscribe to a topic.
 */
function registerAccount(app: TypedApp, { now }: Context, keyIn: KeyIn): void {
	app.get('/ntfy/v1/account', () => ACCOUNT);
	app.post('/ntfy/v1/account/token', (request) => ({
		token: keyIn(request),
		last_access: Math.floor(now() / 1_000),
		expires: 0,
	}));
	app.get('/ntfy/:topic/auth', () => {
		throw new Refusal(
			'forbidden',
			'Not supported',
			'Beckon delivers only to phones, so nothing can subscribe to a topic. Disable the topic’s event entity.',
		);
	});
}
