import { type Command, InvalidArgumentError } from 'commander';
import { phonesInWords } from '../contract/delivery-states.ts';
import { findAccount } from '../service/administration/accounts.ts';
import { newestHistory } from '../service/console/history.ts';
import { commaList } from './keys.ts';
import { type CommonOptions, onData, table, withCommonOptions } from './run.ts';

function limit(value: string): number {
	const number = Number(value);
	if (!Number.isInteger(number) || number < 1 || number > 1_000)
		throw new InvalidArgumentError('Use 1 to 1000.');
	return number;
}

export function addHistoryCommands(program: Command): void {
	const history = program.command('history').description('what was sent');

	withCommonOptions(
		history.command('list').description('list the newest pushes, badges and Live Activities'),
	)
		.requiredOption('--account <account>', 'name or id of the account')
		.option(
			'--tags <tags>',
			'only entries with all of these tags, separated by commas',
			commaList,
			[],
		)
		.option('--limit <n>', 'how many at most', limit, 20)
		.action((options: CommonOptions & { account: string; tags: string[]; limit: number }) =>
			onData(options, async (context) => {
				const { id } = await findAccount(context, options.account);
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
