import { streamByKey } from '../../store/activities/streams.ts';
import type { Context } from '../context.ts';

/** True if the stream has an activity: its next PUT starts none, but may rotate it. */
export async function isStreamRunning(
	{ database }: Context,
	accountId: string,
	streamKey: string,
): Promise<boolean> {
	const stream = await streamByKey(database.read, accountId, streamKey);
	return stream !== undefined && stream.activity_id !== null;
}
