import { finished } from 'node:stream/promises';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalidRequest } from '../../service/refusal.ts';
import { KEY_PREFIX } from '../../service/secrets.ts';
import { sendPush } from '../../service/sending/pushes.ts';
import { requireCaller } from '../gate.ts';
import { DEFAULT_PRIORITY, toLevel, toPush } from './foreign-push.ts';
import { authorizationKey, queryText, type Sender } from './sender.ts';

const gotifyMessage = z.object({
	message: z.string().min(1, 'must not be empty'),
	title: z.string().optional().catch(undefined),
	priority: z.coerce.number().optional().catch(undefined),
	/** https://gotify.net/docs/msgextras; others are ignored. */
	extras: z
		.object({
			'client::notification': z.object({
				click: z.object({ url: z.string() }).optional().catch(undefined),
				bigImageUrl: z.string().optional().catch(undefined),
			}),
		})
		.optional()
		.catch(undefined),
});

/** POST /gotify/message, as in gotify (https://gotify.net/api-docs). It reaches the key's channels. */
export const gotify: Sender = {
	name: 'gotify',
	feature: 'notifications',

	keyIn(request) {
		const key =
			request.headers['x-gotify-key']?.toString() ??
			queryText(request, 'token') ??
			authorizationKey(request.headers.authorization);
		// Clients that check the form of gotify's tokens are given the key without its prefix.
		return key?.replace(/^A[\w-]{14}$/, `${KEY_PREFIX.sender}$&`);
	},

	toRefusal: ({ status, body }) => ({
		error: body.error,
		errorCode: status,
		errorDescription: body.message,
	}),

	register(app, { context }) {
		app.addContentTypeParser(
			['application/x-www-form-urlencoded', 'multipart/form-data'],
			{ parseAs: 'buffer' },
			async (request: FastifyRequest, body: Buffer) => formIn(request, body),
		);
		app.post('/gotify/message', { schema: { body: gotifyMessage } }, async (request) => {
			const { message, title, priority = DEFAULT_PRIORITY, extras } = request.body;
			const { click, bigImageUrl } = extras?.['client::notification'] ?? {};
			const push = toPush(
				{
					title: title?.trim() || 'gotify',
					message,
					level: toLevel(priority),
					click: click?.url,
					picture: bigImageUrl,
				},
				context,
			);
			await sendPush(context, requireCaller(request), push);
			const now = context.now();
			return {
				id: now,
				appid: 1,
				message: push.message,
				title: push.title,
				priority,
				date: new Date(now).toISOString(),
			};
		});
	},
};

/** Parts of a form that are read; gotify's clients send three. */
const MAX_PARTS = 50;

/** The text fields of a form. @throws Refusal `invalid` for a form that cannot be read */
async function formIn({ headers }: FastifyRequest, body: Buffer): Promise<object> {
	const texts = new Map<string, string>();
	try {
		const limits = { parts: MAX_PARTS, fields: MAX_PARTS };
		const form = new Busboy({ headers: headers as BusboyHeaders, limits });
		form.on('field', (name, value) => texts.set(name, value));
		form.on('file', (_name, file) => file.resume());
		await finished(form.end(body));
	} catch {
		throw invalidRequest([{ path: '', message: 'must be a readable form' }]);
	}
	return Object.fromEntries(texts);
}
