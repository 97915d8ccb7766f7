import type { FastifyError, FastifyRequest } from 'fastify';
import { IMAGE_BODIES, MAX_IMAGE_BYTES } from '../contract/images.ts';
import type { Refusal } from '../service/refusal.ts';
import { answerError } from './errors.ts';
import type { TypedApp } from './typed-app.ts';

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
		answerError(shown as FastifyError, request, reply);
	});
}

/** The bytes of a picture that was sent; undefined if the body is empty. */
export function pictureIn({ body }: FastifyRequest): Buffer | undefined {
	return body as Buffer | undefined;
}
