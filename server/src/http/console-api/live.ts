import { idParams } from '../../contract/console/members.ts';
import { streamParams } from '../../contract/live-activities.ts';
import { end } from '../../service/activities/requests.ts';
import { firstSteps } from '../../service/console/first-steps.ts';
import { liveForConsole } from '../../service/console/live.ts';
import { toCaller } from '../../service/console/sessions.ts';
import { pauseStream, resumeStream } from '../../service/streams/pause.ts';
import { deleteStreamByKey } from '../../service/streams/requests.ts';
import type { HttpParts } from '../parts.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { requireVisitor } from './authentication.ts';

export function registerLive(app: TypedApp, { context }: HttpParts): void {
	app.get('/live', (request) => liveForConsole(context, requireVisitor(request).accountId));
	app.get('/first-steps', (request) => firstSteps(context, requireVisitor(request).accountId));
	app.post('/streams/:stream_key/pause', { schema: { params: streamParams } }, (request) =>
		pauseStream(context, requireVisitor(request).accountId, request.params.stream_key).then(
			toSuccess,
		),
	);
	app.post('/streams/:stream_key/resume', { schema: { params: streamParams } }, async (request) => {
		const { accountId } = requireVisitor(request);
		return { started: await resumeStream(context, accountId, request.params.stream_key) };
	});
	app.delete('/streams/:stream_key', { schema: { params: streamParams } }, (request) =>
		deleteStreamByKey(context, toCaller(requireVisitor(request)), request.params.stream_key, {}),
	);
	app.post('/activities/:id/end', { schema: { params: idParams } }, (request) =>
		end(context, toCaller(requireVisitor(request)), {
			activity_id: request.params.id,
			content_state: {},
		}),
	);
}
