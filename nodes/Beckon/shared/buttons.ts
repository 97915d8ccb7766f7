import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';

import {
	actionList,
	buttonRows,
	buttonTitle,
	calledUrl,
	openedUrl,
} from '../../shared/fields/bounds';
import { compact } from '../../shared/fields/compact';
import { fillsBody } from '../../shared/declared/hooks';
import type { FieldReader } from '../../shared/fields/field-reader';
import { oneOf } from '../../shared/fields/rules';
import { triggerBody } from '../../shared/webhooks/trigger-body';
import { readTriggerSecretOnce } from '../../shared/webhooks/trigger-secret';
import { choice, field, group, oneRow, rowsOf, sendsBy, shownIf } from './field';
import { CONTENT_OPERATIONS, TYPES_WITH_TWO_BUTTONS } from './live-activity/activity-types';

const OPEN_URL = 'open_url';
const WEBHOOK = 'webhook';

/** Also a webhook, but filled in as the Beckon Trigger expects. */
const START_WORKFLOW = 'start_workflow';

const whenTapped = (...type: string[]) => shownIf({ type });

/** The fields of one button, in the order they are filled in. */
const buttonFields: INodeProperties[] = [
	field('Label', 'title', { description: 'The text on the button', placeholder: 'e.g. Details' }),
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
				description: 'First set Trigger Credential under Settings',
			},
		],
	},
	field('URL', 'url', {
		description: 'The URL to open (https, http or shortcuts) or to call (https)',
		placeholder: 'e.g. https://example.com/orders/42',
		...whenTapped(OPEN_URL, WEBHOOK),
	}),
	field('Trigger URL', 'url', {
		description: 'The Production URL that the Beckon Trigger shows under Webhook URLs',
		placeholder: 'e.g. https://n8n.example.com/webhook/…/beckon',
		...whenTapped(START_WORKFLOW),
	}),
	field('Data', 'data', {
		description: 'A JSON object that the started workflow gets',
		type: 'json',
		default: '{}',
		...whenTapped(START_WORKFLOW),
	}),
	field('Method', 'method', {
		description: 'The HTTP method of the call',
		...choice('POST', { GET: 'GET', POST: 'POST' }),
		...whenTapped(WEBHOOK),
	}),
	field('Body', 'body', {
		description: 'A JSON object to send with the call',
		type: 'json',
		default: '{}',
		...shownIf({ type: [WEBHOOK], method: ['POST'] }),
	}),
];

type Context = IExecuteSingleFunctions;

async function readButton(button: FieldReader, context: Context): Promise<object> {
	const type = button.text('type', 'type', oneOf([OPEN_URL, WEBHOOK, START_WORKFLOW]));
	const title = button.required('title', button.text('title', 'title', buttonTitle));
	if (type === START_WORKFLOW) return { title, ...(await readTriggerCall(button, context)) };
	const fitting = type === WEBHOOK ? calledUrl : openedUrl;
	const url = button.required('url', button.text('url', 'url', fitting));
	return compact({ title, type, url, ...(type === WEBHOOK && readMethodAndBody(button)) });
}

/** The body of a GET is neither shown in the panel nor sent. */
function readMethodAndBody(button: FieldReader): object {
	const method = button.text('method', 'method', oneOf(['GET', 'POST']));
	return method === 'GET' ? { method } : { method, body: button.object('body', 'body') };
}

/** The call that a Beckon Trigger accepts. The secret is in the body, so no URL reveals it. */
async function readTriggerCall(button: FieldReader, context: Context): Promise<object> {
	const url = button.required('url', button.text('url', 'url', calledUrl));
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
	return buttons.length > 0 ? read.checked('actions', buttons, actionList) : undefined;
});

/** Sends the one button of a collection. */
const sendsButton = (property: string, parameter: string) =>
	sendsBy(
		fillsBody(property, async (read, context) => {
			const button = read.row(property, `${parameter}.button`);
			return button && (await readButton(button, context));
		}),
	);

const button = group('Button', 'button', buttonFields);

/** Up to four on a push (docs/api-decisions.md "Requests"). */
export const pushButtonsField = field('Buttons', 'actions', {
	description: 'Up to four buttons under the notification, unless it has a picture or other media',
	...rowsOf([button], buttonRows),
	...sendsBy(sendButtons),
});

/** Adding the field also adds its button. */
const oneButton = oneRow({ button: { title: '', type: OPEN_URL, url: '' } }, button);

const withContent = { '/operation': CONTENT_OPERATIONS };

/** Buttons of a Live Activity, under Additional Content; some types have room for only one. */
export const activityButtonFields: INodeProperties[] = [
	field('Button', 'action', {
		description: 'A button on the Live Activity',
		...oneButton,
		...shownIf(withContent),
		...sendsButton('action', 'content.action'),
	}),
	field('Second Button', 'secondaryAction', {
		description: 'Another button beside the first',
		...oneButton,
		...shownIf({ ...withContent, '/activityType': TYPES_WITH_TWO_BUTTONS }),
		...sendsButton('secondary_action', 'content.secondaryAction'),
	}),
];
