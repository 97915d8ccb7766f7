import type { z } from 'zod';
import { action } from '../../contract/actions.ts';
import { tag } from '../../contract/common.ts';
import { MAX_MESSAGE, pushRequest, type PushRequest } from '../../contract/push.ts';
import { sanitized, shortened } from '../../contract/text.ts';
import { mediaUrl, redirectionUrl } from '../../contract/urls.ts';
import type { Context } from '../../service/context.ts';
import { requireValid } from '../../service/refusal.ts';

const MAX_TITLE = 255;
const MAX_TAGS = 20;
const MAX_BUTTONS = 4;

/** Tags that are read; the first 20 that fit are kept. */
const MAX_TAGS_READ = 50;

/** The priority of an ordinary message in ntfy. gotify's scale is the same, but goes up to 10. */
export const DEFAULT_PRIORITY = 3;

/** A message as another program sends it, before the rules of our API apply. */
export interface ForeignPush {
	title: string;
	message: string;
	level: PushRequest['interruption_level'];
	tags?: readonly unknown[];
	click?: unknown;
	icon?: unknown;
	picture?: unknown;
	/** In the form of our actions; those that do not fit are left out. */
	buttons?: readonly unknown[];
}

/**
 * The message as a request of our API. No message is rejected over a detail: long texts end in "…", and links,
 * pictures, tags and buttons that break a rule are left out. A picture gives way to buttons.
 */
export function toPush(foreign: ForeignPush, { settings }: Context): PushRequest {
	const buttons = (foreign.buttons ?? [])
		.flatMap((button) => parseIfValid(action, button) ?? [])
		.filter(
			({ type, url }) =>
				type !== 'webhook' || settings.allowPrivateWebhooks || /^https:/i.test(url),
		);
	const given = (foreign.tags ?? []).slice(0, MAX_TAGS_READ);
	const tags = new Set(given.flatMap((entry) => parseIfValid(tag, entry) ?? []));
	return requireValid(pushRequest, {
		title: shortened(sanitized(foreign.title).trim(), MAX_TITLE) || 'Notification',
		message: shortened(foreign.message, MAX_MESSAGE),
		interruption_level: foreign.level,
		redirection: parseIfValid(redirectionUrl, foreign.click),
		icon: parseIfValid(mediaUrl, foreign.icon),
		media: buttons.length > 0 ? undefined : parseIfValid(mediaUrl, foreign.picture),
		...(buttons.length > 0 && { actions: buttons.slice(0, MAX_BUTTONS) }),
		...(tags.size > 0 && { tags: [...tags].slice(0, MAX_TAGS) }),
	});
}

/** The value as the schema parses it; undefined if it breaks a rule. */
export function parseIfValid<S extends z.ZodType>(
	schema: S,
	value: unknown,
): z.output<S> | undefined {
	return schema.safeParse(value).data;
}

export function toLevel(priority: number): PushRequest['interruption_level'] {
	if (priority < DEFAULT_PRIORITY) return 'passive';
	return priority > DEFAULT_PRIORITY ? 'time-sensitive' : 'active';
}
