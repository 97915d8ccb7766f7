import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { queryText } from './sender.ts';

/**
 * The parameters of a message, each with its names as a header or in the query, in the order in which ntfy
 * looks for them (https://docs.ntfy.sh/publish/#list-of-all-parameters).
 */
const NAMES = {
	title: ['x-title', 'title', 't'],
	message: ['x-message', 'message', 'm'],
	priority: ['x-priority', 'priority', 'prio', 'p'],
	tags: ['x-tags', 'tags', 'tag', 'ta'],
	click: ['x-click', 'click'],
	actions: ['x-actions', 'actions', 'action'],
	attach: ['x-attach', 'attach', 'a'],
	icon: ['x-icon', 'icon'],
	filename: ['x-filename', 'filename', 'file', 'f'],
	email: ['x-email', 'x-e-mail', 'email', 'e-mail', 'mail', 'e'],
	call: ['x-call', 'call'],
	markdown: ['x-markdown', 'markdown', 'md'],
	delay: ['x-delay', 'delay', 'x-at', 'at', 'x-in', 'in'],
	sequence_id: ['x-sequence-id', 'sequence-id', 'sid'],
	template: ['x-template', 'template', 'tpl'],
	unifiedpush: ['x-unifiedpush', 'unifiedpush', 'up'],
} as const;

/** A value of the wrong type counts as absent. */
const text = z.string().optional().catch(undefined);

const texts = Object.fromEntries(Object.keys(NAMES).map((name) => [name, text]));

/** The fields of a message except its topic: texts, if nothing else is said. */
const fields = z.object({
	...(texts as Record<keyof typeof NAMES, typeof text>),
	priority: z.union([z.string(), z.number()]).optional().catch(undefined),
	tags: z.array(z.unknown()).optional().catch(undefined),
	actions: z
		.union([z.string(), z.array(z.unknown())])
		.optional()
		.catch(undefined),
	markdown: z.union([z.string(), z.boolean()]).optional().catch(undefined),
});

export type Fields = z.output<typeof fields>;

/** A message published as JSON. */
export const published = fields.extend({ topic: z.string() });

/** The parameters in headers and query. */
export function readParameters(request: FastifyRequest): Fields {
	const parameters = Object.entries(NAMES).map(([field, names]) => {
		const header = names.map((name) => request.headers[name]?.toString()).find(Boolean);
		const value = header
			? decodedHeader(header)
			: names.map((name) => queryText(request, name)).find(Boolean);
		return [field, value?.trim()] as const;
	});
	const { tags, message, ...others } = Object.fromEntries(parameters.filter(([, value]) => value));
	return fields.parse({
		...others,
		// A header has one line.
		...(message && { message: message.replaceAll('\\n', '\n') }),
		...(tags && { tags: tags.split(',').map((tag) => tag.trim()) }),
	});
}

/** One encoded word of RFC 2047, in UTF-8. */
const ENCODED_WORD = /=\?utf-8\?([bq])\?([^?]*)\?=/gi;

/** A header's text: Node reads its bytes as Latin-1, and ASCII-only senders use mail's encoding. */
function decodedHeader(value: string): string {
	const bytes = Buffer.from(value, 'latin1');
	const decoded = bytes.toString('utf8');
	const text = decoded.includes('\u{fffd}') ? value : decoded;
	return text.replace(ENCODED_WORD, (_word, encoding: string, content: string) => {
		if (encoding.toLowerCase() === 'b') return Buffer.from(content, 'base64').toString('utf8');
		const characters = content
			.replaceAll('_', ' ')
			.replace(/=([\da-f]{2})/gi, (_code, hex: string) => String.fromCharCode(parseInt(hex, 16)));
		return Buffer.from(characters, 'latin1').toString('utf8');
	});
}
