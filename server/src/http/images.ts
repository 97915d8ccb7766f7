import type { ServerResponse } from 'node:http';
import { imageParams } from '../contract/images.ts';
import { imageFinder } from '../service/images.ts';
import { TooManyRequests } from '../service/refusal.ts';
import { answerNotFound } from './not-found.ts';
import type { HttpParts } from './parts.ts';
import { addressSubject } from './rate-limit.ts';
import { Turns } from './turns.ts';
import type { TypedApp } from './typed-app.ts';

/** Seconds that a phone may keep a picture without asking again. */
const KEEP_SECONDS = 24 * 60 * 60;

/** Pictures under way to one client address, and to all: 48 MB at most. A page of history has up to 50. */
const MOST_TO_ADDRESS = { underWay: 6, waiting: 100 };
const MOST_IN_ALL = { underWay: 24, waiting: 10_000 };

/** Seconds in which the pictures that wait are likely to be sent. */
const RETRY_AFTER_SECONDS = 5;

function tooMany(seconds: number): TooManyRequests {
	return new TooManyRequests(
		'Rate limit exceeded',
		`Too many pictures are fetched from this address. Try again in ${seconds} s.`,
		seconds,
		{ code: 'rate_limited' },
	);
}

/** Waits until the picture may be sent. @throws TooManyRequests if too many wait */
function inTurn<Key>(turns: Turns<Key>, key: Key, answer: ServerResponse): Promise<void> {
	return new Promise((begin, refuse) => {
		if (!turns.take(key, answer, begin)) refuse(tooMany(RETRY_AFTER_SECONDS));
	});
}

/**
 * GET /images/{path}: a stored picture, for anyone who knows its path. Nothing in it can run: its type
 * is fixed, and as a page of its own it is sandboxed.
 */
export function registerImageFiles(
	app: TypedApp,
	{ context, limiter, rateLimits }: HttpParts,
): void {
	const findImage = imageFinder(context);
	const toAddress = new Turns<string>(MOST_TO_ADDRESS);
	const inAll = new Turns<'all'>(MOST_IN_ALL);
	app.get('/images/:path', { schema: { params: imageParams } }, async (request, reply) => {
		const subject = addressSubject(request.ip);
		await limiter.require([{ name: 'pictures', subject, quota: rateLimits.perAddress }], tooMany);
		await inTurn(toAddress, subject, reply.raw);
		await inTurn(inAll, 'all', reply.raw);
		const image = await findImage(request.params.path);
		if (!image) {
			answerNotFound(request, reply);
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
