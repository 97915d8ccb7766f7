import { z } from 'zod';
import { isBlockedScheme, MAX_URL_LENGTH, SCHEME, schemeOf } from './schemes.ts';

const TOO_LONG = `must be at most ${MAX_URL_LENGTH} characters long`;

/** An image, audio or video that the phone fetches: HTTPS, without user:password. */
export const mediaUrl = z
	.string()
	.max(MAX_URL_LENGTH, { error: TOO_LONG, abort: true })
	.regex(/^https:\/\//, { error: 'must be a URL that begins with https://', abort: true })
	.refine((value) => URL.canParse(value), {
		error: 'must be a complete URL, like https://example.com/image.png',
		abort: true,
	})
	.refine((value) => {
		const { username, password } = new URL(value);
		return username === '' && password === '';
	}, 'must not contain a user name or password')
	.meta({ format: 'uri' });

/** What a tap on the notification opens: web, Shortcuts or an installed app (service-api.md). */
export const redirectionUrl = z
	.string()
	.max(MAX_URL_LENGTH, { error: TOO_LONG, abort: true })
	.regex(SCHEME, {
		error:
			'must be a URL with a scheme, like https://example.com or shortcuts://run-shortcut?name=Lights',
		abort: true,
	})
	.refine((value) => !isBlockedScheme(schemeOf(value) ?? ''), {
		error: 'must not use a blocked scheme such as javascript:, data: or file:',
		abort: true,
	})
	.refine((value) => URL.canParse(value), 'must be a complete URL')
	.meta({ format: 'uri' });
