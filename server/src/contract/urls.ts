import { z } from 'zod';
import {
	isBlocked,
	isComplete,
	isUnreadable,
	MAX_URL_LENGTH,
	SCHEME,
	readScheme,
} from './schemes.ts';

const COMPLETE = 'must be a complete URL, like https://example.com/image.png';

/** A URL as stored and sent: spaces, which people type, are percent-encoded. */
function url() {
	return z
		.string()
		.overwrite((value) => value.replaceAll(' ', '%20'))
		.max(MAX_URL_LENGTH, {
			error: `must be at most ${MAX_URL_LENGTH} characters long`,
			abort: true,
		})
		.refine((value) => !isUnreadable(value), {
			error:
				'must not contain control characters, line breaks or invisible characters that change the reading direction',
			abort: true,
		});
}

/** An image, audio or video for the phone to fetch: HTTPS, without user:password. */
export const mediaUrl = url()
	.regex(/^https:\/\//, { error: 'must be a URL that begins with https://', abort: true })
	.refine(isComplete, { error: COMPLETE, abort: true })
	.refine((value) => {
		const { username, password } = new URL(value);
		return username === '' && password === '';
	}, 'must not contain a user name or password')
	.meta({ format: 'uri' });

/** The target of a tap on the notification: web, Shortcuts or an installed app. */
export const redirectionUrl = url()
	.regex(SCHEME, {
		error:
			'must be a URL with a scheme, like https://example.com or shortcuts://run-shortcut?name=Lights',
		abort: true,
	})
	.refine((value) => !isBlocked(value), {
		error: 'must not use a blocked scheme such as javascript:, data: or file:',
		abort: true,
	})
	.refine(isComplete, 'must be a complete URL, like https://example.com')
	.meta({ format: 'uri' });

/** The URL a button opens or calls. @param schemes the schemes allowed */
export function actionUrl(schemes: readonly string[], rule: string) {
	return url()
		.refine((value) => schemes.includes(readScheme(value) ?? '') && isComplete(value), rule)
		.meta({ format: 'uri' });
}
