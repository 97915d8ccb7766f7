import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { badgeFields } from './resources/badge';
import { liveActivityFields, liveActivityOptions } from './resources/liveActivity';
import {
	liveActivityManualFields,
	liveActivityManualOptions,
} from './resources/liveActivityManual';
import { metricFields } from './resources/metric';
import { pushNotificationFields } from './resources/pushNotification';
import { commonLiveActivityFields } from './shared/live-activity';

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
		requestDefaults: {
			baseURL: '={{ $credentials.baseUrl }}',
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
			...commonLiveActivityFields,
			...liveActivityOptions,
			...liveActivityManualOptions,
			...metricFields,
		],
	};
}
