import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TYPES: Record<string, string> = {
	'.css': 'text/css; charset=utf-8',
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
	'.png': 'image/png',
	'.svg': 'image/svg+xml',
	'.txt': 'text/plain; charset=utf-8',
	'.webmanifest': 'application/manifest+json',
};

/** The compressed copies that the build puts beside a file (scripts/compress-pages.ts), the smallest first. */
const COPIES = [
	{ encoding: 'br', ending: '.br' },
	{ encoding: 'gzip', ending: '.gz' },
];

/**
 * Serves the files of a folder from memory: however many requests there are, no file is open, and all responses share
 * its bytes. A file is read at its first request.
 * @returns a function that sends a file, or returns false if there is none with this name
 */
export function memoryFiles(
	root: string,
): (request: FastifyRequest, reply: FastifyReply, name: string) => boolean {
	const names = new Set(readdirSync(root, { recursive: true, encoding: 'utf8' }));
	const files = new Map<string, { bytes: Buffer; tag: string }>();
	return ({ headers }, reply, name) => {
		const type = TYPES[extname(name)];
		if (type === undefined || !names.has(name)) return false;
		const copy = COPIES.find(
			({ encoding, ending }) =>
				names.has(name + ending) &&
				new RegExp(`\\b${encoding}\\b(?!;q=0(\\.0*)?(,|$))`).test(headers['accept-encoding'] ?? ''),
		);
		const copyName = name + (copy?.ending ?? '');
		let file = files.get(copyName);
		if (!file) {
			const bytes = readFileSync(join(root, copyName));
			file = { bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
			files.set(copyName, file);
		}
		reply.headers({ 'content-type': type, vary: 'accept-encoding', etag: file.tag });
		if (copy) reply.header('content-encoding', copy.encoding);
		if (headers['if-none-match']?.includes(file.tag)) reply.status(304).send();
		else reply.send(file.bytes);
		return true;
	};
}
