import { setTimeout } from 'node:timers/promises';
import { BoundedMap } from '../collections.ts';
import { IMAGE_BODIES, imageParams, MAX_IMAGE_BYTES } from '../contract/images.ts';
import { imageFinder } from '../service/images/images.ts';
import { beginOneByOne } from './connections.ts';
import { sendNotFound } from './not-found.ts';
import { addressSubject, refuseFor } from './limits.ts';
import type { HttpParts, TypedApp } from './typed-app.ts';
import { beginWithPauses, Turns } from './turns.ts';
import type { FastifyError, FastifyRequest } from 'fastify';
import type { Refusal } from '../service/refusal.ts';
import { sendError } from './errors.ts';

/** Seconds that a phone may keep a picture without asking again. */
const KEEP_SECONDS = 24 * 60 * 60;

/** Pictures being sent to one client address, and to all: 48 MB at most. A page of history has up to 50. */
const MAX_TO_ADDRESS = { inProgress: 6, waiting: 100 };
const MAX_IN_ALL = { inProgress: 24, waiting: 10_000 };

/**
 * To one address: 50 MB a second. A reverse proxy takes whole pictures at once, however slowly its clients read, so
 * a client's reading speed limits nothing.
 */
const BYTES_PER_MS = 50_000;

/**
 * One picture begins at a time, and the next one after a pause three times as long, which leaves the event loop to others.
 * SQLite takes milliseconds to read two megabytes, and each turn of the event loop accepts one connection: a picture in
 * every turn would keep all waiting connections waiting.
 */
const PAUSE = 3;

/** Addresses whose pace is remembered. */
const MAX_PACED = 10_000;

/** Seconds in which the pictures that wait are likely to be sent. */
const RETRY_AFTER_SECONDS = 5;

const refuse = refuseFor('Rate limit exceeded', 'Too many pictures requested from this address.', {
	code: 'rate_limited',
});

/**
 * GET /images/{path}: a stored picture, for anyone who knows its path. It cannot run code: its type
 * is fixed, and opened as a page it is sandboxed.
 */
export function registerImageFiles(app: TypedApp, { context, limiter, config }: HttpParts): void {
	const findImage = imageFinder(context);
	const toAddress = new Turns<string>(MAX_TO_ADDRESS);
	const inAll = new Turns<'all'>(MAX_IN_ALL);
	/** When the next picture may be sent, to an address. */
	const nextAt = new BoundedMap<string, number>(MAX_PACED);
	const waitForRate = async (subject: string, bytes: number) => {
		const now = performance.now();
		const at = Math.max(now, nextAt.get(subject) ?? now);
		nextAt.set(subject, at + bytes / BYTES_PER_MS);
		if (at > now) await setTimeout(at - now);
	};
	const withPauses = beginWithPauses(PAUSE);
	beginOneByOne(app);
	app.get('/images/:path', { schema: { params: imageParams } }, async (request, reply) => {
		const subject = addressSubject(request.ip);
		const quota = config.BECKON_RATE_PER_ADDRESS;
		await limiter.spend([{ name: 'pictures', subject, quota }], refuse);
		const tooMany = () => refuse(RETRY_AFTER_SECONDS);
		await toAddress.waitTurn(subject, reply.raw, tooMany);
		await inAll.waitTurn('all', reply.raw, tooMany);
		const found = await findImage(request.params.path);
		if (found) await waitForRate(subject, found.size);
		const image = await withPauses(async () => (reply.raw.destroyed ? undefined : found?.read()));
		if (!image) {
			sendNotFound(request, reply);
			return reply;
		}
		return reply
			.headers({
				'content-type': image.type,
				'content-security-policy': "default-src 'none'; sandbox",
				'referrer-policy': 'no-referrer',
				'cache-control': `private, max-age=${KEEP_SECONDS}, immutable`,
			})
			.send(image.bytes);
	});
}

const REFUSALS: Record<string, string> = {
	FST_ERR_CTP_INVALID_MEDIA_TYPE:
		'Send the bytes of a JPEG, PNG, GIF or WebP picture, with its Content-Type.',
	FST_ERR_CTP_BODY_TOO_LARGE: 'A picture can be at most 2 MB.',
};

/** Takes the bytes of pictures instead of JSON, on the routes of `app`. */
export function takePictures(app: TypedApp): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser(
		IMAGE_BODIES,
		{ parseAs: 'buffer', bodyLimit: MAX_IMAGE_BYTES },
		(_request, body, done) => done(null, body),
	);
	app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
		const { code = '', statusCode } = error as Partial<FastifyError>;
		const words = REFUSALS[code];
		const shown = words === undefined ? error : Object.assign(new Error(words), { statusCode });
		sendError(shown as FastifyError, request, reply);
	});
}

/** The bytes of an uploaded picture; undefined if the body is empty. */
export function pictureIn({ body }: FastifyRequest): Buffer | undefined {
	return body as Buffer | undefined;
}
