import type {
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

import { n8n } from '../engine/n8n.ts';
import { BECKON } from '../engine/one-node.ts';
import { installedTypes } from '../engine/run-workflow.ts';

let description: INodeTypeDescription;

beforeAll(async () => {
	description = (await installedTypes()).getByNameAndVersion(BECKON).description;
});

function shown(values: INodeParameters): INodeProperties[] {
	return description.properties.filter(
		(field) =>
			!field.isNodeSetting &&
			n8n.NodeHelpers.displayParameter(values, field, null, description, values),
	);
}

const names = (fields: INodeProperties[]) => fields.map(({ name }) => name);

const operation = 'sendAndWait';

test('a push notification asks with a title, a message and buttons', () => {
	const fields = shown({ resource: 'pushNotification', operation, responseType: 'approval' });

	expect(names(fields)).toEqual([
		'resource',
		'operation',
		'sendTo',
		'title',
		'message',
		'responseType',
		'approvalOptions',
		'options',
	]);
	expect(names(fields.filter(({ required }) => required))).toEqual(['title']);
});

test('a Live Activity also has its stream key', () => {
	const fields = shown({ resource: 'liveActivity', operation, responseType: 'choices' });

	expect(names(fields)).toEqual([
		'resource',
		'operation',
		'streamKey',
		'sendTo',
		'title',
		'message',
		'responseType',
		'choices',
		'options',
	]);
	expect(names(fields.filter(({ required }) => required))).toEqual(['streamKey', 'title']);
});

test('the wait is limited as in all nodes of n8n that wait', () => {
	const [options] = shown({ resource: 'pushNotification', operation }).filter(
		({ name }) => name === 'options',
	);

	expect(options?.options).toContainEqual(
		expect.objectContaining({
			displayName: 'Limit Wait Time',
			name: 'limitWaitTime',
			default: {
				values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' },
			},
		}),
	);
});

/** For human review, n8n 2 offers any node that has webhooks and this operation. */
test("n8n's human review finds what it looks for, and asks with a push notification", () => {
	const operations = description.properties.filter(({ name }) => name === 'operation');
	const asking = operations.filter(({ options }) =>
		(options as INodePropertyOptions[]).some(({ value }) => value === n8n.SEND_AND_WAIT_OPERATION),
	);

	expect(description.name.endsWith('Tool')).toBe(false);
	expect(description.webhooks).toMatchObject([
		{ httpMethod: 'GET', restartWebhook: true, path: '={{ $nodeId }}', isFullPath: true },
		{ httpMethod: 'POST', restartWebhook: true, path: '={{ $nodeId }}', isFullPath: true },
	]);
	expect(asking[0]?.displayOptions?.show?.['resource']).toEqual(['pushNotification']);
	const values = { resource: 'pushNotification', operation, responseType: 'approval' };
	expect(names(shown(values))).toContain('approvalOptions');
});

test('a node with a webhook keeps its request options', () => {
	const [requestOptions] = description.properties.filter(({ isNodeSetting }) => isNodeSetting);

	expect(names(requestOptions?.options as INodeProperties[])).toEqual([
		'allowUnauthorizedCerts',
		'proxy',
		'timeout',
	]);
});
