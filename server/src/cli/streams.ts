import { recordDone } from '../service/audit.ts';
import { pauseStream, resumeStream } from '../service/streams/requests.ts';
import { accountCommand, group, required } from './commands.ts';

const options = { key: required('--key <key>', 'key of the stream') };

export const stream = group('Live Activities that have a key', {
	pause: accountCommand('end the activity and store updates until it is resumed', {
		options,
		run: async (context, { id }, { key }) => {
			await pauseStream(context, id, key);
			await recordDone(context, id, 'stream_paused', key);
			return {
				json: { stream_key: key, paused: true },
				lines: [`The Live Activity ${key} is paused.`],
			};
		},
	}),
	resume: accountCommand('restart the activity from the stored state', {
		options,
		run: async (context, { id }, { key }) => {
			const started = await resumeStream(context, id, key);
			await recordDone(context, id, 'stream_resumed', key);
			const now = started ? 'runs again.' : 'is no longer paused; its next update starts it.';
			const json = { stream_key: key, paused: false, started };
			return { json, lines: [`The Live Activity ${key} ${now}`] };
		},
	}),
});
