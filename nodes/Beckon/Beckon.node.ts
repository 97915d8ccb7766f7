import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { badgeFields, badgeOperations, badgeOptions } from './resources/badge';
import {
	liveActivityFields,
	liveActivityOperations,
	liveActivityOptions,
} from './resources/liveActivity';
import {
	liveActivityManualFields,
	liveActivityManualOperations,
	liveActivityManualOptions,
} from './resources/liveActivityManual';
import { metricFields, metricOperations, metricOptions } from './resources/metric';
import {
	pushNotificationContentFields,
	pushNotificationFields,
	pushNotificationOperations,
	pushNotificationOptions,
} from './resources/pushNotification';
import { questionFields } from './shared/ask/question';
import { receiveResponse, responseWebhooks } from './shared/ask/response';
import { commonLiveActivityFields, liveActivityTypeFields } from './shared/live-activity';
import { optionsOf } from './shared/options';
import { requestOptionsField } from './shared/request-options';
import type { Operation } from './shared/send-items';
import { textFields } from './shared/text-fields';

const OPERATIONS: Record<string, Record<string, Operation>> = {
	badge: badgeOperations,
	liveActivity: liveActivityOperations,
	liveActivityManual: liveActivityManualOperations,
	metric: metricOperations,
	pushNotification: pushNotificationOperations,
};

/**
 * It runs its items itself instead of declaring its routing: n8n's RoutingNode resolves the expressions
 * of every declared field again and again for each item, which made a thousand items take 1.3 times
 * as long as with the HTTP Request node, and cannot pace them (docs/benchmarks.md has today's figures).
 */
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
			...textFields,
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

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0);
		const operation = this.getNodeParameter('operation', 0);
		const chosen = OPERATIONS[resource]?.[operation];
		if (!chosen) {
			throw new NodeOperationError(
				this.getNode(),
				`Beckon has no operation "${operation}" for the resource "${resource}"`,
				{ description: 'Choose the resource and the operation in the node again.' },
			);
		}
		return await chosen.call(this);
	}

	webhook = receiveResponse;
}
