import { type Command, InvalidArgumentError } from 'commander';
import { phonesInWords } from '../contract/delivery-states.ts';
import { newestHistory } from '../service/history.ts';
import { commaList } from './keys.ts';
import { ofAccount, type OfAccount, onAccount, table } from './run.ts';

function limit(value: string): number {
	const number = Number(value);
	if (!Number.isInteger(number) || number < 1 || number > 1_000)
		throw new InvalidArgumentError('Use 1 to 1000.');
	return number;
}

export function addHistoryCommands(program: Command): void {
	const history = program.command('history').description('what was sent');

	ofAccount(
		history.command('list').description('list the newest pushes, badges and Live Activities'),
	)
		.option(
			'--tags <tags>',
			'only entries with all of these tags, separated by commas',
			commaList,
			[],
		)
		.option('--limit <n>', 'how many at most', limit, 20)
		.action((options: OfAccount & { tags: string[]; limit: number }) =>
			onAccount(options, async (context, { id }) => {
				const entries = await newestHistory(context, id, options);
				return {
					json: entries,
					lines: table(
						['WHEN', 'KIND', 'TITLE', 'TAGS', 'ENDED', 'PHONES'],
						entries.map((entry) => [
							entry.created_at,
							entry.kind,
							entry.title,
							entry.tags.join(','),
							entry.ended_at ?? '',
							phonesInWords(entry.phones),
						]),
					),
				};
			}),
		);
}
