import { idParams } from '../../contract/console/members.ts';
import { devicesQuery, pairCodeRequest, renameRequest } from '../../contract/console/resources.ts';
import { createPairCode } from '../../service/phones/pairing.ts';
import {
	devicesForConsole,
	disconnectDevice,
	removeDevice,
	renameDeviceTo,
} from '../../service/phones/devices.ts';
import { sendTestPush } from '../../service/phones/test-push.ts';
import type { HttpParts } from '../parts.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { acting, requireVisitor } from './authentication.ts';

export function registerDevices(app: TypedApp, { context }: HttpParts): void {
	app.get('/devices', { schema: { querystring: devicesQuery } }, (request) =>
		devicesForConsole(context, requireVisitor(request).accountId, request.query),
	);
	app.post('/devices/pair-code', { schema: { body: pairCodeRequest } }, (request) =>
		createPairCode(...acting(context, request), request.body.user),
	);
	app.put('/devices/:id', { schema: { params: idParams, body: renameRequest } }, (request) =>
		renameDeviceTo(...acting(context, request), request.params.id, request.body.name).then(
			toSuccess,
		),
	);
	app.post('/devices/:id/test', { schema: { params: idParams } }, (request) =>
		sendTestPush(...acting(context, request), request.params.id),
	);
	app.delete('/devices/:id', { schema: { params: idParams } }, (request) =>
		disconnectDevice(...acting(context, request), request.params.id).then(toSuccess),
	);
	app.post('/devices/:id/remove', { schema: { params: idParams } }, (request) =>
		removeDevice(...acting(context, request), request.params.id).then(toSuccess),
	);
}
