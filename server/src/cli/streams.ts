import type { Command } from 'commander';
import { recordDone } from '../service/audit.ts';
import { pauseStream, resumeStream } from '../service/streams/requests.ts';
import { ofAccount, type OfAccount, onAccount } from './run.ts';

type OfStream = OfAccount & { key: string };

export function addStreamCommands(program: Command): void {
	const stream = program.command('stream').description('Live Activity streams');
	const ofStream = (command: Command) =>
		ofAccount(command).requiredOption('--key <key>', 'key of the stream');

	ofStream(
		stream.command('pause').description('end the activity and remember updates until resumed'),
	).action((options: OfStream) =>
		onAccount(options, async (context, { id }) => {
			await pauseStream(context, id, options.key);
			await recordDone(context, id, 'stream_paused', options.key);
			return {
				json: { stream_key: options.key, paused: true },
				lines: [`Stream ${options.key} is paused.`],
			};
		}),
	);

	ofStream(
		stream.command('resume').description('restart the activity from the remembered state'),
	).action((options: OfStream) =>
		onAccount(options, async (context, { id }) => {
			const started = await resumeStream(context, id, options.key);
			await recordDone(context, id, 'stream_resumed', options.key);
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
