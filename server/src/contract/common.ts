import { z } from 'zod';
import { COLORS, TAG_PATTERN } from './values.ts';
import { atMost, sanitized, isUnique, text } from './text.ts';

export const wholeRule = (min: number, max: number) =>
	`must be a whole number from ${min} to ${max}`;

export function wholeNumber(min: number, max: number) {
	const rule = wholeRule(min, max);
	return z.int(rule).min(min, rule).max(max, rule);
}

/** The same in a query. */
export function queryNumber(min: number, max: number) {
	const rule = wholeRule(min, max);
	return z.coerce.number(rule).int(rule).min(min, rule).max(max, rule);
}

/** The largest value of a signed 32-bit integer. */
const MAX_BADGE = 2_147_483_647;

export const badgeCount = z
	.int('must be a whole number')
	.min(0, `must be between 0 and ${MAX_BADGE}`)
	.max(MAX_BADGE, `must be between 0 and ${MAX_BADGE}`)
	.describe('The number on the app icon; 0 clears it.');

const MAX_TAGS = 20;

const TAG_RULE =
	'must be 1 to 64 characters: lowercase letters, digits, dashes, underscores, periods and colons';

export const tag = z.string().regex(TAG_PATTERN, TAG_RULE);

/** The tags of a request. */
export const tags = atMost(MAX_TAGS, z.array(tag), `must have at most ${MAX_TAGS} tags`)
	.refine(isUnique, 'must not repeat a tag')
	.meta({
		id: 'TagSlugs',
		uniqueItems: true,
		description: 'Labels to organize and filter the notification history.',
	});

export const channelSlug = z
	.string()
	.regex(
		/^[a-z0-9][a-z0-9_-]{0,63}$/,
		'must be a channel slug: 1 to 64 lowercase letters, digits, dashes and underscores, beginning with a letter or digit',
	);

export const channelParams = z.strictObject({ slug: channelSlug });

const RECIPIENTS =
	'Sends to the phones in these channels only; a slug of GET /phones stands for one phone. When left out, it goes to every phone that the API key reaches.';

export const channelSlugs = atMost(
	50,
	z.array(channelSlug).min(1, 'must name at least one channel, or be left out'),
	'must name at most 50 channels',
)
	.refine(isUnique, 'must not repeat a channel')
	.meta({ uniqueItems: true, description: RECIPIENTS });

/** True if two lists of slugs name the same channels, in any order. */
export function isSameSet(a: readonly string[], b: readonly string[]): boolean {
	return a.length === b.length && new Set([...a, ...b]).size === a.length;
}

export const channelTarget = z
	.strictObject({ channels: channelSlugs })
	.meta({ id: 'ChannelTarget', description: RECIPIENTS });

const metadataValue = z.union(
	[z.string().overwrite(sanitized).max(512), z.number(), z.boolean(), z.null()],
	'must be text of at most 512 characters, a number, true, false or null',
);

/** Kept in the history, never sent to a device. */
export const metadata = atMost(
	50,
	z.record(
		z
			.string()
			.overwrite(sanitized)
			.min(1, 'must have names of 1 to 64 characters')
			.max(64, 'must have names of 1 to 64 characters'),
		metadataValue,
	),
).meta({
	id: 'Metadata',
	maxProperties: 50,
	description: 'Data of your own that is kept in the history and never sent to a phone.',
});

export const color = z.enum(COLORS).meta({ id: 'Color' });

/** Extra text with a Live Activity's start, update or end that makes the phone alert. */
export const alertPayload = z
	.strictObject({
		title: text({ min: 1, max: 255 }).optional().describe('First line of the alert.'),
		body: text({ min: 1, max: 4000 }).optional().describe('Text of the alert.'),
	})
	.meta({
		id: 'AlertPayload',
		description: 'Makes the phone sound and light up; without it the change is silent.',
	});

export const effectiveChannelSlugs = z
	.array(z.string())
	.nullable()
	.describe('The channels that were used; null when no channel targeting applied.');

/**
 * A response with one page of a list.
 * @param name of the list in the response
 * @param id its name in the OpenAPI document
 */
export function listOf<N extends string, S extends z.ZodType>(name: N, id: string, entry: S) {
	const list = { [name]: z.array(entry) } as Record<N, z.ZodArray<S>>;
	const next = z
		.string()
		.nullable()
		.describe('The `after` of the next page; null on the last page.');
	return z.strictObject({ success: z.literal(true), ...list, next }).meta({ id });
}

/** A count in a response. */
export const count = () => z.int().min(0);

export const devicesNotified = count().describe(
	'Phones whose gateway accepted it, or whose delivery is stored and being retried. They may not have received it yet.',
);
export const devicesQueued = count().describe(
	"Phones that get it once they have sent the activity's token.",
);
export const usersNotified = count().describe('People with at least one notified phone.');

export type AlertPayload = z.output<typeof alertPayload>;
