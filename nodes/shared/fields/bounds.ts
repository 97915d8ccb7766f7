import {
	allOf,
	entriesOf,
	listOf,
	matching,
	moreThan,
	noLonger,
	noMoreBytes,
	prose,
	scalar,
	url,
	type Rule,
} from './rules';

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

export const remindMinutesBounds = { minValue: 1, maxValue: 1440, numberPrecision: 0 };

export const afterMinutesBounds = { minValue: 1, maxValue: 43200, numberPrecision: 0 };

export const deadlineSeconds = { minValue: 30, maxValue: 2592000, numberPrecision: 0 };

export const ttlSeconds = { minValue: 1, maxValue: 2592000, numberPrecision: 0 };

export const buttonRows = { maxAllowedFields: 4 };

export const metricRows = { maxAllowedFields: 8 };

export const MAX_TITLE = 255;

export const MAX_MESSAGE = 16000;

export const MAX_IMAGE_BYTES = 2000000;

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

export const triggerId = matching(
	/^trg_[A-Za-z0-9_-]{22,64}$/,
	'must be trg_ and 22 to 64 letters, digits, dashes and underscores',
);

export const metricKey = matching(
	/^[a-z0-9][a-z0-9_.-]{0,63}$/,
	'must be 1 to 64 characters: lowercase letters, digits, dashes, underscores and periods, beginning with a letter or digit',
);

export const repeatId = matching(
	/^[A-Za-z0-9_-]{32}$/,
	'must be the repeat_id that the repeated push returned',
);

export const questionId = matching(
	/^[A-Za-z0-9_-]{1,64}$/,
	'must be the question_id that asking returned',
);

export const placeholderText = noLonger(255, 'must be at most 255 characters long');

export const sequenceId = matching(
	/^[A-Za-z0-9_-]{1,64}$/,
	'must be 1 to 64 letters, digits, dashes and underscores',
);

export const actionList = listOf({ most: [4, 'must have at most 4 actions'] });

export const buttonTitle = noLonger(64, 'must be 1 to 64 characters long', true);

export const openedUrl = url(
	2048,
	/^(https|http|shortcuts):/i,
	'must be an https, http or shortcuts URL',
);

export const calledUrl = url(2048, /^(https|http):/i, 'must be an https URL');

export const mediaUrl = url(2048, /^https:\/\//, 'must be a URL that begins with https://');

export const metricText = noLonger(64, 'must be 1 to 64 characters long');

export const metricLabel = noLonger(64, 'must be 1 to 64 characters long');

export const metricEntryText = noLonger(64, 'must be 1 to 64 characters long');

export const metricUnit = noLonger(64, 'must be at most 64 characters long');

export const metricList = listOf({
	fewest: [1, 'must have 1 to 8 entries'],
	most: [8, 'must have 1 to 8 entries'],
});

export const OF_TEXTS: Readonly<Record<string, Rule<string>>> = {
	title: prose(255, 'must be 1 to 255 characters long', true),
	message: prose(16000, 'must be at most 16000 characters long'),
	subtitle: prose(255, 'must be at most 255 characters long'),
	icon: mediaUrl,
	sound: noLonger(64, 'must be 1 to 64 characters long'),
	redirection: url(
		2048,
		/^([A-Za-z][A-Za-z0-9+.-]*):/,
		'must be a URL with a scheme, like https://example.com or shortcuts://run-shortcut?name=Lights',
	),
	activity_id: noLonger(64, 'must be the activity_id that start returned'),
	'content_state.title': prose(255, 'must be 1 to 255 characters long', true),
	'content_state.subtitle': prose(255, 'must be at most 255 characters long'),
	'content_state.message': prose(4000, 'must be 1 to 4000 characters long'),
	'content_state.icon.symbol': noLonger(128, 'must be 1 to 128 characters long'),
	'content_state.badge.title': prose(64, 'must be 1 to 64 characters long'),
	'content_state.value': prose(64, 'must be 1 to 64 characters long'),
	'alert.title': prose(255, 'must be 1 to 255 characters long'),
	'alert.body': prose(4000, 'must be 1 to 4000 characters long'),
};

export const OF_NUMBERS: Readonly<Record<string, Rule<number>>> = {
	'content_state.duration_seconds': moreThan(0),
	'content_state.upper_limit': moreThan(0),
};

export const OF_OBJECTS: Readonly<Record<string, Rule<object>>> = {
	payload: noMoreBytes(2048, 'must be at most 2048 bytes when written as JSON'),
	metadata: entriesOf({
		most: [50, 'must have at most 50 entries'],
		names: [64, 'must have names of 1 to 64 characters'],
	}),
};

export const OF_VALUES: Readonly<Record<string, Rule<unknown>>> = {
	metadata: scalar(512, 'must be text of at most 512 characters, a number, true, false or null'),
};
