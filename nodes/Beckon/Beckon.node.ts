import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { badgeFields, badgeOptions } from './resources/badge';
import { liveActivityFields, liveActivityOptions } from './resources/liveActivity';
import { questionCall as activityQuestionCall } from './resources/liveActivity/send-and-wait';
import {
	liveActivityManualFields,
	liveActivityManualOptions,
} from './resources/liveActivityManual';
import { metricFields, metricOptions } from './resources/metric';
import {
	pushNotificationContentFields,
	pushNotificationFields,
	pushNotificationOptions,
} from './resources/pushNotification';
import { questionCall as pushQuestionCall } from './resources/pushNotification/send-and-wait';
import { questionFields, SEND_AND_WAIT } from './shared/ask/question';
import { receiveResponse, responseWebhooks } from './shared/ask/response';
import { sendAndWait } from './shared/ask/send-and-wait';
import { commonLiveActivityFields, liveActivityTypeFields } from './shared/live-activity';
import { optionsOf } from './shared/options';
import { requestOptionsField } from './shared/request-options';
import { messageField, titleFields } from './shared/text-fields';

export class Beckon implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Beckon',
		name: 'beckon',
		icon: { light: 'file:../../icons/beckon.svg', dark: 'file:../../icons/beckon.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Send push notifications, Live Activities, badges and metrics to your phone',
		defaults: { name: 'Beckon' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'beckonApi', required: true }],
		waitingNodeTooltip: 'Execution will continue after a button is tapped on the phone',
		webhooks: responseWebhooks,
		requestDefaults: {
			json: true,
			// A redirect would turn a POST into a GET, and could carry the key to another host.
			disableFollowRedirect: true,
		},
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'App Icon Badge', value: 'badge' },
					{ name: 'Live Activity', value: 'liveActivity' },
					{ name: 'Live Activity (Manual)', value: 'liveActivityManual' },
					{ name: 'Metric', value: 'metric' },
					{ name: 'Push Notification', value: 'pushNotification' },
				],
				default: 'pushNotification',
			},
			...pushNotificationFields,
			...badgeFields,
			...liveActivityFields,
			...liveActivityManualFields,
			...metricFields,
			...liveActivityTypeFields,
			...titleFields,
			messageField,
			...pushNotificationContentFields,
			...questionFields,
			...commonLiveActivityFields,
			optionsOf([
				...pushNotificationOptions,
				...badgeOptions,
				...liveActivityOptions,
				...liveActivityManualOptions,
				...metricOptions,
			]),
			requestOptionsField,
		],
	};

	/** The operations that wait for a person; the others are declared by their routing. */
	customOperations = {
		pushNotification: { [SEND_AND_WAIT]: sendAndWait(pushQuestionCall) },
		liveActivity: { [SEND_AND_WAIT]: sendAndWait(activityQuestionCall) },
	};

	webhook = receiveResponse;
}
