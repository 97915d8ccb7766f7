import { allOf, listOf, matching, moreThan, noLonger } from './rules';

/** Written from the server's contract by server/scripts/write-node-bounds.ts: `npm run docs`. */

export const ACTIVITY_TYPES = [
	'segmented_progress',
	'progress',
	'metrics',
	'stats',
	'alert',
	'timer',
	'value',
] as const;

export const COLORS = [
	'lime',
	'green',
	'cyan',
	'blue',
	'purple',
	'magenta',
	'red',
	'orange',
	'yellow',
	'gray',
];

export const TYPES_WITH_ONE_BUTTON = ['timer', 'metrics', 'stats'];

export const badgeBounds = { minValue: 0, maxValue: 2147483647, numberPrecision: 0 };

export const percentageBounds = { minValue: 0, maxValue: 100 };

export const currentStepBounds = { minValue: 0, numberPrecision: 0 };

export const numberOfStepsBounds = { minValue: 1, numberPrecision: 0 };

export const dismissalBounds = { minValue: 0, numberPrecision: 0 };

export const everyMinutesBounds = { minValue: 1, maxValue: 60, numberPrecision: 0 };

export const timesBounds = { minValue: 1, maxValue: 20, numberPrecision: 0 };

export const buttonRows = { maxAllowedFields: 4 };

export const metricRows = { maxAllowedFields: 8 };

export const MAX_TITLE = 255;

export const MAX_MESSAGE = 4000;

export const tag = matching(
	/^[a-z0-9._:-]{1,64}$/,
	'must be 1 to 64 characters: lowercase letters, digits, dashes, underscores, periods and colons',
);

export const tagList = listOf({
	most: [20, 'must have at most 20 tags'],
	repeated: 'must not repeat a tag',
});

export const channel = matching(
	/^[a-z0-9][a-z0-9_-]{0,63}$/,
	'must be a channel slug: 1 to 64 lowercase letters, digits, dashes and underscores, beginning with a letter or digit',
);

export const channelList = listOf({
	fewest: [1, 'must name at least one channel, or be left out'],
	most: [50, 'must name at most 50 channels'],
	repeated: 'must not repeat a channel',
});

export const streamKey = allOf(
	noLonger(255, 'must be at most 255 characters long'),
	matching(/^[A-Za-z0-9_-]+$/, 'must consist of letters, digits, underscores and dashes'),
);

export const metricKey = matching(
	/^[a-z0-9][a-z0-9_.-]{0,63}$/,
	'must be 1 to 64 characters: lowercase letters, digits, dashes, underscores and periods, beginning with a letter or digit',
);

export const repeatId = matching(
	/^[A-Za-z0-9_-]{32}$/,
	'must be the repeat_id that the repeated push answered',
);

export const actionList = listOf({ most: [4, 'must have at most 4 actions'] });

export const durationSeconds = moreThan(0);

export const upperLimit = moreThan(0);

export const metricList = listOf({
	fewest: [1, 'must have 1 to 8 entries'],
	most: [8, 'must have 1 to 8 entries'],
});
