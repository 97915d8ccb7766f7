import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { REQUEST_DEFAULTS } from '../../src/n8n/send-once';
import { testAccess } from '../shared/credential-test';
import * as badge from './resources/badge';
import * as lists from './resources/lists';
import * as liveActivity from './resources/liveActivity';
import * as liveActivityManual from './resources/liveActivityManual';
import * as metric from './resources/metric';
import * as pushNotification from './resources/pushNotification';
import { repeatedRequest } from './resources/pushNotification/repeat';
import * as question from './resources/question';
import { questionWebhooks, receiveCall } from './shared/ask/callback';
import { questionFields } from './shared/ask/question';
import { named } from './shared/field';
import { executes } from './shared/execute';
import { additionalContentFields, liveActivityContentFields } from './shared/live-activity';
import { listSearch, loadOptions } from './shared/pickers/lists';
import { requestOptionsField } from './shared/request-options';

/** n8n lists a node's actions in this order, the most used resource first. */
const resources = named({
	pushNotification: ['Push Notification', 'A message on the lock screen'],
	liveActivity: ['Live Activity', 'Something ongoing, live on the lock screen'],
	badge: ['App Icon Badge', 'The number on the app icon'],
	metric: ['Metric', 'A value in a lock-screen widget'],
	question: ['Question', 'What Send and Wait for Response has asked'],
	channel: ['Channel', 'A group of phones, made in the console'],
	trigger: ['Trigger', 'A workflow that a button can start'],
	liveActivityManual: ['Live Activity by ID', 'The older way; otherwise choose Live Activity'],
});

/** The panel of each resource: its `fields`, followed by its `options`. */
const parts = [pushNotification, badge, liveActivity, liveActivityManual, metric, question, lists];

export class Beckon implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Beckon',
		name: 'beckon',
		icon: { light: 'file:../../icons/beckon.svg', dark: 'file:../../icons/beckon.dark.svg' },
		group: ['output'],
		version: 2,
		// The panel's words, and a key. n8n's linter accepts only a literal text.
		subtitle:
			'={{ ((p, words) => words[p.operation] + ": " + (p.streamKey || p.key || words[p.resource]))($parameter, { clear: "Clear", end: "End", get: "Get", getAll: "Get Many", send: "Send", sendAndWait: "Send and Wait for Response", set: "Set", setValue: "Set Value", start: "Start", stopRepeating: "Stop Repeating", update: "Update", upsert: "Create or Update", withdraw: "Withdraw", badge: "App Icon Badge", channel: "Channel", liveActivity: "Live Activity", liveActivityManual: "Live Activity by ID", metric: "Metric", pushNotification: "Push Notification", question: "Question", trigger: "Trigger" }) }}',
		description: 'Send push notifications, Live Activities, badges and metrics to your phone',
		defaults: { name: 'Beckon' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'beckonApi', required: true, testedBy: 'testAccess' }],
		waitingNodeTooltip:
			'Execution will continue after the question is answered on the phone, or at its deadline',
		webhooks: questionWebhooks,
		requestDefaults: REQUEST_DEFAULTS,
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: resources,
				default: 'pushNotification',
			},
			...parts.flatMap(({ fields }) => fields),
			...liveActivityContentFields,
			...questionFields,
			...additionalContentFields,
			...parts.flatMap(({ options }) => options),
			requestOptionsField,
			repeatedRequest,
		],
	};

	/**
	 * The requests are declared above in n8n's vocabulary, but n8n's RoutingNode does not run them: it
	 * resolves the expressions of hidden fields too, repeatedly, and sends the first item before it
	 * knows whether the last one is valid. nodes/shared/declared runs the same declaration without either
	 * problem.
	 */
	execute = executes(this.description);

	methods = { credentialTest: { testAccess }, loadOptions, listSearch };

	webhook = receiveCall;
}
