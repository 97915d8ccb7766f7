import { imageResponse, MAX_IMAGE_BYTES } from '../../contract/images.ts';
import { requestError } from '../../contract/errors.ts';
import type { Context } from '../../service/context.ts';
import { storeImage } from '../../service/images.ts';
import { requireCaller } from '../gate.ts';
import { takePictures } from '../picture-bodies.ts';
import type { TypedApp } from '../typed-app.ts';
import { commonAnswers } from './answers.ts';

/** Beckon's addition: a place for a picture that a workflow has only as bytes. */
export function registerImages(app: TypedApp, context: Context): void {
	takePictures(app);
	app.post(
		'/images',
		{
			bodyLimit: MAX_IMAGE_BYTES,
			schema: {
				operationId: 'storeImage',
				summary: 'Store a picture for the media of a push',
				tags: ['Push notifications'],
				response: { 200: imageResponse, ...commonAnswers, 409: requestError },
			},
		},
		(request) => storeImage(context, requireCaller(request), request.body as Buffer | undefined),
	);
}
