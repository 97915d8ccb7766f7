import type { Command } from 'commander';
import { findAccount } from '../service/administration/accounts.ts';
import { pauseStream, resumeStream } from '../service/streams/pause.ts';
import { type CommonOptions, onData, withCommonOptions } from './run.ts';

type OfStream = CommonOptions & { account: string; key: string };

export function addStreamCommands(program: Command): void {
	const stream = program.command('stream').description('Live Activity streams');
	const ofStream = (command: Command) =>
		withCommonOptions(command)
			.requiredOption('--account <account>', 'name or id of the account')
			.requiredOption('--key <key>', 'key of the stream');

	ofStream(
		stream.command('pause').description('end the activity and remember updates until resumed'),
	).action((options: OfStream) =>
		onData(options, async (context) => {
			await pauseStream(context, (await findAccount(context, options.account)).id, options.key);
			return {
				json: { stream_key: options.key, paused: true },
				lines: [`Stream ${options.key} is paused.`],
			};
		}),
	);

	ofStream(
		stream.command('resume').description('restart the activity from the remembered state'),
	).action((options: OfStream) =>
		onData(options, async (context) => {
			const { id } = await findAccount(context, options.account);
			const started = await resumeStream(context, id, options.key);
			return {
				json: { stream_key: options.key, paused: false, started },
				lines: [
					started
						? `Stream ${options.key} runs again.`
						: `Stream ${options.key} is no longer paused; its next update starts it.`,
				],
			};
		}),
	);
}
