import { idParams } from '../../contract/console/members.ts';
import { streamParams } from '../../contract/live-activities.ts';
import { end } from '../../service/activities/requests.ts';
import { recordDone } from '../../service/audit.ts';
import { firstSteps } from '../../service/accounts/usage.ts';
import { liveForConsole } from '../../service/activities/live.ts';
import { toCaller } from '../../service/people/sessions.ts';
import { deleteStreamByKey, pauseStream, resumeStream } from '../../service/streams/requests.ts';
import type { HttpParts } from '../parts.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { acting, requireVisitor } from './authentication.ts';

export function registerLive(app: TypedApp, { context }: HttpParts): void {
	app.get('/live', (request) => liveForConsole(context, requireVisitor(request).accountId));
	app.get('/first-steps', (request) => firstSteps(context, requireVisitor(request).accountId));
	app.post('/streams/:stream_key/pause', { schema: { params: streamParams } }, async (request) => {
		const { stream_key: key } = request.params;
		await pauseStream(context, requireVisitor(request).accountId, key);
		await recordDone(...acting(context, request), 'stream_paused', key);
		return toSuccess();
	});
	app.post('/streams/:stream_key/resume', { schema: { params: streamParams } }, async (request) => {
		const { stream_key: key } = request.params;
		const started = await resumeStream(context, requireVisitor(request).accountId, key);
		await recordDone(...acting(context, request), 'stream_resumed', key);
		return { started };
	});
	app.delete('/streams/:stream_key', { schema: { params: streamParams } }, async (request) => {
		const { stream_key: key } = request.params;
		const ended = await deleteStreamByKey(context, toCaller(requireVisitor(request)), key, {});
		await recordDone(...acting(context, request), 'stream_ended', key);
		return ended;
	});
	app.post('/activities/:id/end', { schema: { params: idParams } }, async (request) => {
		const { id } = request.params;
		const ended = await end(context, toCaller(requireVisitor(request)), {
			activity_id: id,
			content_state: {},
		});
		await recordDone(...acting(context, request), 'activity_ended', id);
		return ended;
	});
}
