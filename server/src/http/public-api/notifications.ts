import { pushRequest, pushResponse } from '../../contract/push.ts';
import type { Context } from '../../service/context.ts';
import { sendPush } from '../../service/sending/pushes.ts';
import type { TypedApp } from '../typed-app.ts';
import { sendingAnswers, security } from './answers.ts';
import { callerOf } from '../gate.ts';

export function registerNotifications(app: TypedApp, context: Context): void {
	app.post(
		'/push-notification',
		{
			schema: {
				operationId: 'sendPushNotification',
				summary: 'Send a push notification',
				tags: ['Push notifications'],
				security,
				body: pushRequest,
				response: { 200: pushResponse, ...sendingAnswers },
			},
		},
		(request) => sendPush(context, callerOf(request), request.body),
	);
}
