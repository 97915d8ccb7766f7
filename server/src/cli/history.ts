import { z } from 'zod';
import { phonesInWords } from '../contract/delivery-states.ts';
import { newestHistory } from '../service/history.ts';
import { accountCommand, group, listing, names, required } from './commands.ts';

const TAGS = 'only entries with all of these tags, separated by commas';

const limit = z
	.string()
	.transform(Number)
	.refine((value) => Number.isInteger(value) && value >= 1 && value <= 1_000, 'Use 1 to 1000.');

export const history = group('what was sent', {
	list: accountCommand('list the newest pushes, badges and Live Activities', {
		options: {
			tags: required('--tags <tags>', TAGS, names).default([]),
			limit: required('--limit <n>', 'how many at most', limit).default(20),
		},
		run: async (context, { id }, options) =>
			listing(await newestHistory(context, id, options), {
				WHEN: 'created_at',
				KIND: 'kind',
				TITLE: 'title',
				TAGS: 'tags',
				ENDED: 'ended_at',
				PHONES: ({ phones }) => phonesInWords(phones),
			}),
	}),
});
