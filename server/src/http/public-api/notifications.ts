import { pushRequest, pushResponse } from '../../contract/push.ts';
import {
	repeatedPushRequest,
	repeatedPushResponse,
	repeatParams,
	repeatStopRequest,
	repeatStopResponse,
} from '../../contract/repeats.ts';
import type { Context } from '../../service/context.ts';
import { sendPush, sendRepeatedPush } from '../../service/sending/pushes.ts';
import { stopRepeat } from '../../service/sending/repeats.ts';
import type { TypedApp } from '../typed-app.ts';
import { changingAnswers, sendingAnswers } from './answers.ts';
import { requireCaller } from '../gate.ts';

export function registerNotifications(app: TypedApp, context: Context): void {
	app.post(
		'/push-notification',
		{
			schema: {
				operationId: 'sendPushNotification',
				summary: 'Send a push notification',
				tags: ['Push notifications'],
				body: pushRequest,
				response: { 200: pushResponse, ...sendingAnswers },
			},
		},
		(request) => sendPush(context, requireCaller(request), request.body),
	);

	app.post(
		'/push-notification/repeated',
		{
			schema: {
				operationId: 'sendRepeatedPushNotification',
				summary: 'Send a push notification again until somebody reacts',
				tags: ['Push notifications'],
				body: repeatedPushRequest,
				response: { 200: repeatedPushResponse, ...sendingAnswers },
			},
		},
		(request) => sendRepeatedPush(context, requireCaller(request), request.body),
	);

	app.delete(
		'/push-notification/repeated/:repeat_id',
		{
			schema: {
				operationId: 'stopRepeatedPushNotification',
				summary: 'Stop a repeated push notification',
				tags: ['Push notifications'],
				params: repeatParams,
				body: repeatStopRequest.nullable(),
				response: { 200: repeatStopResponse, ...changingAnswers },
			},
		},
		(request) => stopRepeat(context, requireCaller(request), request.params.repeat_id),
	);
}
