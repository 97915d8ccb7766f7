import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sequenceId } from '../../contract/sequences.ts';
import type { Context } from '../../service/context.ts';
import { invalid, type Refusal, requireFitting } from '../../service/refusal.ts';
import { sendPush } from '../../service/sending/pushes.ts';
import { clearSequence } from '../../service/sending/sequences.ts';
import { requireCaller } from '../gate.ts';
import { DEFAULT_PRIORITY, toLevel, toPush } from './foreign-push.ts';
import { authorizationKey, queryText } from './keys.ts';
import { jsonIn, toButtons } from './ntfy-actions.ts';
import { type Fields, readParameters, published } from './ntfy-fields.ts';
import type { Sender } from './sender.ts';

/** ntfy's own error codes, by the status they begin with. */
const CODES: Record<number, number> = { 401: 40101, 403: 40301, 429: 42901, 500: 50001 };

/** The text that ntfy gives a message without one. */
const NO_MESSAGE = 'triggered';

const PRIORITIES: Record<string, number> = { min: 1, low: 2, high: 4, max: 5, urgent: 5 };

/** Publishing as ntfy does (https://docs.ntfy.sh/publish/). The topic names the channel. */
export const ntfy: Sender = {
	name: 'ntfy',
	feature: 'notifications',

	keyIn: (request) =>
		authorizationKey(Buffer.from(queryText(request, 'auth') ?? '', 'base64').toString()) ??
		authorizationKey(request.headers.authorization),

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
		for (const url of ['/ntfy', '/']) {
			app.post(url, (request) => {
				const { topic, ...fields } = messageIn(request);
				return publish(context, request, topic, { ...readParameters(request), ...fields });
			});
		}
	},
};

/** Both take the message off the screens; the history of the phones keeps it. */
const CLEARING = [
	['PUT', '/clear', 'message_clear'],
	['PUT', '/read', 'message_clear'],
	['DELETE', '', 'message_delete'],
] as const;

/** What every answer begins with. */
function newEvent({ now }: Context, event: string, topic: string) {
	const id = randomBytes(9).toString('base64url');
	return { id, time: Math.floor(now() / 1_000), event, topic };
}

/** The body as text. @throws Refusal `invalid` for a file */
function readText({ body }: FastifyRequest): string {
	const bytes = body instanceof Buffer ? body : Buffer.alloc(0);
	if (!isUtf8(bytes)) throw noUpload();
	return bytes.toString().trim();
}

/** @throws Refusal `invalid` if the body is not a message */
function messageIn(request: FastifyRequest): z.output<typeof published> {
	const message = requireFitting(published, jsonIn(readText(request)));
	const given = Object.entries<unknown>(message).filter(([, value]) => value !== undefined);
	return Object.fromEntries(given) as z.output<typeof published>;
}

/** @throws Refusal like `sendPush`, and `invalid` for anything that would change the meaning */
async function publish(
	context: Context,
	request: FastifyRequest,
	topic: string,
	fields: Fields,
): Promise<object> {
	if (fields.delay)
		throw unsupported('Beckon delivers every message at once: send it without a delay.');
	if (fields.email) throw unsupported('Beckon sends no email. Send it without an address.');
	if (fields.call) throw unsupported('Beckon makes no phone calls. Send it without a number.');
	const priority = toPriority(fields.priority);
	const push = toPush(
		{
			title: fields.title?.trim() || topic,
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
	const { sequence_id } = requireFitting(sequenced, fields);
	// A message can be replaced by its id, too.
	const options = { sequenceId: sequence_id ?? event.id };
	await sendPush(context, caller, { ...push, target: { channels: [topic] } }, options);
	return {
		...event,
		sequence_id,
		title: fields.title,
		message: push.message,
		priority,
		tags: push.tags,
		click: push.redirection,
		icon: push.icon,
		...(isMarkdown && { content_type: MARKDOWN }),
		...(push.media && { attachment: { name: fields.filename ?? 'attachment', url: push.media } }),
	};
}

const sequenced = z.object({ sequence_id: sequenceId.optional() });

const MARKDOWN = 'text/markdown';

/** By the parameter, or by the type of the body. */
function wantsMarkdown({ headers }: FastifyRequest, { markdown }: Fields): boolean {
	if (markdown !== undefined) return /^(1|yes|true)$/i.test(String(markdown));
	return headers['content-type']?.toLowerCase().startsWith(MARKDOWN) ?? false;
}

/** From 1 to 5; anything else counts as the default, so that it costs no message. */
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
