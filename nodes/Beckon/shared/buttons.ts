import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';

import { compact } from '../../shared/fields/compact';
import { fillsBody } from '../../shared/declared/hooks';
import type { FieldReader } from '../../shared/fields/field-reader';
import { oneOf } from '../../shared/fields/rules';
import { triggerBody } from '../../shared/webhooks/trigger-body';
import { readTriggerSecretOnce } from '../../shared/webhooks/trigger-secret';
import { CONTENT_OPERATIONS, TYPES_WITH_TWO_BUTTONS } from './live-activity/activity-types';

const OPEN_URL = 'open_url';
const WEBHOOK = 'webhook';

/** Also a webhook, but filled in as the Beckon Trigger expects. */
const START_WORKFLOW = 'start_workflow';

const startWorkflowFields: INodeProperties[] = [
	{
		displayName: 'Trigger URL',
		name: 'triggerUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://n8n.example.com/webhook/…/beckon',
		displayOptions: { show: { type: [START_WORKFLOW] } },
		description: 'The Production URL that the Beckon Trigger shows under Webhook URLs',
	},
	{
		displayName: 'Data',
		name: 'data',
		type: 'json',
		default: '{}',
		displayOptions: { show: { type: [START_WORKFLOW] } },
		description: 'A JSON object that the started workflow gets',
	},
];

/** The fields of one button, in the order they are filled in. */
const buttonFields: INodeProperties[] = [
	{
		displayName: 'Label',
		name: 'title',
		type: 'string',
		default: '',
		placeholder: 'e.g. Approve',
		description: 'The text on the button',
	},
	{
		displayName: 'When Tapped',
		name: 'type',
		type: 'options',
		default: OPEN_URL,
		options: [
			{
				name: 'Open URL',
				value: OPEN_URL,
				description: 'Open a web page or a shortcut on the phone',
			},
			{
				name: 'Call Webhook',
				value: WEBHOOK,
				description: 'Send a request without opening anything',
			},
			{
				name: 'Start a Workflow (Beckon Trigger)',
				value: START_WORKFLOW,
				description:
					'Start a workflow that begins with a Beckon Trigger. Set Trigger Credential under Settings, then choose the credential under Parameters.',
			},
		],
	},
	{
		displayName: 'URL',
		name: 'url',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://example.com/orders/42',
		displayOptions: { show: { type: [OPEN_URL, WEBHOOK] } },
		description: 'The URL to open (https, http or shortcuts) or to call (https)',
	},
	...startWorkflowFields,
	{
		displayName: 'Method',
		name: 'method',
		type: 'options',
		default: 'POST',
		options: [
			{ name: 'GET', value: 'GET' },
			{ name: 'POST', value: 'POST' },
		],
		displayOptions: { show: { type: [WEBHOOK] } },
		description: 'The HTTP method of the call',
	},
	{
		displayName: 'Body',
		name: 'body',
		type: 'json',
		default: '{}',
		displayOptions: { show: { type: [WEBHOOK], method: ['POST'] } },
		description: 'A JSON object to send with the call',
	},
];

type Context = IExecuteSingleFunctions;

async function readButton(button: FieldReader, context: Context): Promise<object> {
	const type = button.text('type', 'type', oneOf([OPEN_URL, WEBHOOK, START_WORKFLOW]));
	const title = button.required('title', button.text('title', 'title'));
	if (type === START_WORKFLOW) return { title, ...(await readTriggerCall(button, context)) };
	const url = button.required('url', button.text('url', 'url'));
	return compact({ title, type, url, ...(type === WEBHOOK && readMethodAndBody(button)) });
}

/** The body of a GET is neither shown in the panel nor sent. */
function readMethodAndBody(button: FieldReader): object {
	const method = button.text('method', 'method', oneOf(['GET', 'POST']));
	return method === 'GET' ? { method } : { method, body: button.object('body', 'body') };
}

/** The call that a Beckon Trigger accepts. The secret is in the body, so no URL reveals it. */
async function readTriggerCall(button: FieldReader, context: Context): Promise<object> {
	const url = button.required('url', button.text('url', 'triggerUrl'));
	const secret = await readTriggerSecretOnce(context);
	if (secret === undefined) {
		button.broken(
			'secret',
			'is missing: set Trigger Credential under Settings to Beckon Trigger, then choose its credential under Parameters',
		);
	}
	const body = triggerBody(secret ?? '', button.object('data', 'data') ?? {});
	return { type: WEBHOOK, url, method: 'POST', body };
}

const sendButtons = fillsBody('actions', async (read, context) => {
	const buttons: object[] = [];
	for (const row of read.rows('actions', 'actions.button')) {
		buttons.push(await readButton(row, context));
	}
	if (buttons.length > 4) read.broken('actions', 'must have at most 4 actions');
	return buttons.length > 0 ? buttons : undefined;
});

const sendButton = fillsBody('action', async (read, context) => {
	const button = read.row('action', 'content.action.button');
	return button && (await readButton(button, context));
});

const sendSecondButton = fillsBody('secondary_action', async (read, context) => {
	const button = read.row('secondary_action', 'content.secondaryAction.button');
	return button && (await readButton(button, context));
});

type ButtonsField = Pick<
	INodeProperties,
	'displayName' | 'name' | 'description' | 'typeOptions' | 'displayOptions' | 'routing'
>;

function buttonsField(field: ButtonsField, added: INodeProperties['default']): INodeProperties {
	return {
		...field,
		type: 'fixedCollection',
		placeholder: 'Add Button',
		default: added,
		options: [{ displayName: 'Button', name: 'button', values: buttonFields }],
	};
}

/** Up to four on a push (docs/api-decisions.md "Requests"). */
export const pushButtonsField = buttonsField(
	{
		displayName: 'Buttons',
		name: 'actions',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Button', sortable: true },
		description:
			'Up to four buttons under the notification. They cannot be combined with Media URL.',
		routing: { send: { preSend: [sendButtons] } },
	},
	{},
);

/** Adding the field also adds its button. */
const ONE_BUTTON = { button: { title: '', type: OPEN_URL, url: '' } };

const withContent = { '/operation': CONTENT_OPERATIONS };

/** Buttons of a Live Activity, under Additional Content; some types have room for only one. */
export const activityButtonFields: INodeProperties[] = [
	buttonsField(
		{
			displayName: 'Button',
			name: 'action',
			displayOptions: { show: withContent },
			description: 'A button on the Live Activity',
			routing: { send: { preSend: [sendButton] } },
		},
		ONE_BUTTON,
	),
	buttonsField(
		{
			displayName: 'Second Button',
			name: 'secondaryAction',
			displayOptions: { show: { ...withContent, '/activityType': TYPES_WITH_TWO_BUTTONS } },
			description: 'Another button beside the first',
			routing: { send: { preSend: [sendSecondButton] } },
		},
		ONE_BUTTON,
	),
];
