import { imageParams } from '../contract/images.ts';
import { imageFinder } from '../service/images.ts';
import { answerNotFound } from './not-found.ts';
import { addressSubject, type HttpParts, refuseFor } from './limits.ts';
import { Turns } from './turns.ts';
import type { TypedApp } from './typed-app.ts';

/** Seconds that a phone may keep a picture without asking again. */
const KEEP_SECONDS = 24 * 60 * 60;

/** Pictures being sent to one client address, and to all: 48 MB at most. A page of history has up to 50. */
const MOST_TO_ADDRESS = { underWay: 6, waiting: 100 };
const MOST_IN_ALL = { underWay: 24, waiting: 10_000 };

/** Seconds in which the pictures that wait are likely to be sent. */
const RETRY_AFTER_SECONDS = 5;

const refuse = refuseFor('Rate limit exceeded', 'Too many pictures requested from this address.', {
	code: 'rate_limited',
});

/**
 * GET /images/{path}: a stored picture, for anyone who knows its path. It cannot run code: its type
 * is fixed, and opened as a page it is sandboxed.
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
		await limiter.spend([{ name: 'pictures', subject, quota: rateLimits.perAddress }], refuse);
		const tooMany = () => refuse(RETRY_AFTER_SECONDS);
		await toAddress.waitTurn(subject, reply.raw, tooMany);
		await inAll.waitTurn('all', reply.raw, tooMany);
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
