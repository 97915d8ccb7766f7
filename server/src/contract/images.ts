import { z } from 'zod';
import { timestamp } from './text.ts';

export const MAX_IMAGE_BYTES = 2_000_000;

/** All pictures of an account together. */
export const MAX_STORED_BYTES = 200_000_000;

/** Never SVG: it is a document, which may hold scripts. */
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

export type ImageType = (typeof IMAGE_TYPES)[number];

/** Content types of a request body that is a picture; its first bytes show which. */
export const IMAGE_BODIES = [...IMAGE_TYPES, 'application/octet-stream'];

/** Response to POST /images. */
export const imageResponse = z
	.strictObject({
		success: z.literal(true),
		url: z.url().describe('The address of the picture, for the media of a push.'),
		unused_until: timestamp.describe('It is deleted then if no push has used it.'),
	})
	.meta({ id: 'ImageResponse' });

export const imageParams = z.strictObject({ path: z.string() });

export type ImageResponse = z.output<typeof imageResponse>;
