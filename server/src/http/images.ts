import { imageParams } from '../contract/images.ts';
import type { Context } from '../service/context.ts';
import { imageAt } from '../service/images/images.ts';
import { answerNotFound } from './not-found.ts';
import type { TypedApp } from './typed-app.ts';

/** Seconds that a phone may keep a picture without asking again. */
const KEEP_SECONDS = 24 * 60 * 60;

/**
 * GET /images/{path}: a stored picture, for anyone who knows its path. Nothing in it can run: its type
 * is fixed, and as a page of its own it is sandboxed.
 */
export function registerImageFiles(app: TypedApp, context: Context): void {
	app.get('/images/:path', { schema: { params: imageParams } }, async (request, reply) => {
		const image = await imageAt(context, request.params.path);
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
