import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';

import {
	actionList,
	buttonRows,
	buttonTitle,
	calledUrl,
	openedUrl,
	triggerId,
} from '../../shared/fields/bounds';
import { compact } from '../../shared/fields/compact';
import { fillsBody } from '../../shared/declared/hooks';
import type { FieldReader } from '../../shared/fields/field-reader';
import { currentRun } from '../../../src/n8n/run';
import { choice, field, group, oneRow, rowsOf, sendsBy, shownIf, toggle } from './field';
import { CONTENT_OPERATIONS, TYPES_WITH_TWO_BUTTONS } from './live-activity/activity-types';
import { pickedKey } from './pickers/key-field';

const OPEN_URL = 'open_url';
const WEBHOOK = 'webhook';

/** In a request also a webhook, but one of the server itself. */
const START_WORKFLOW = 'start_workflow';

const whenTapped = (...type: string[]) => shownIf({ type });

/** The fields of one button, in the order they are filled in. */
const buttonFields: INodeProperties[] = [
	field('Label', 'title', { description: 'The text on the button', placeholder: 'e.g. Details' }),
	field('When Tapped', 'type', {
		description: 'What a tap does',
		...choice(OPEN_URL, {
			[OPEN_URL]: ['Open URL', 'Open a web page or a shortcut on the phone'],
			[WEBHOOK]: ['Call Webhook', 'Send a request without opening anything'],
			[START_WORKFLOW]: ['Start a Workflow', 'Start a workflow that begins with a Beckon Trigger'],
		}),
	}),
	field('URL', 'url', {
		description: 'The URL to open (https, http or shortcuts) or to call (https)',
		placeholder: 'e.g. https://example.com/orders/42',
		...whenTapped(OPEN_URL, WEBHOOK),
	}),
	field('Workflow', 'trigger', {
		description:
			'A workflow with a Beckon Trigger. It is in the list once it was published (n8n 1: activated).',
		...pickedKey('searchTriggers', { list: 'Choose a workflow…', key: 'e.g. trg_4fQ…' }, 'ID'),
		// n8n 2 publishes no workflow that lacks something required, and this one may have its own trigger.
		required: undefined,
		...whenTapped(START_WORKFLOW),
	}),
	field('Only the First Tap', 'firstTap', {
		description: 'Whether the first tap, whoever taps, closes this button on all phones',
		...toggle(true),
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
	const type = button.choice('type', 'type', [OPEN_URL, WEBHOOK, START_WORKFLOW]);
	const title = button.required('title', button.text('title', 'title', buttonTitle));
	if (type === START_WORKFLOW) return compact({ title, ...(await readStart(button, context)) });
	const fitting = type === WEBHOOK ? calledUrl : openedUrl;
	const url = button.required('url', button.text('url', 'url', fitting));
	return compact({ title, type, url, ...(type === WEBHOOK && readMethodAndBody(button)) });
}

/** The body of a GET is neither shown in the panel nor sent. */
function readMethodAndBody(button: FieldReader): object {
	const method = button.choice('method', 'method', ['GET', 'POST']);
	return method === 'GET' ? { method } : { method, body: button.object('body', 'body') };
}

/** The published form of a button that starts a workflow (docs/api-decisions.md "Triggers"). */
async function readStart(button: FieldReader, context: Context): Promise<object> {
	const trigger = button.required('trigger', button.text('trigger', 'trigger', triggerId));
	const isEveryTap = button.flag('firstTap', 'firstTap') === false;
	const { baseUrl } = await currentRun(context).access;
	const url = `${baseUrl}/triggers/${trigger}${isEveryTap ? '?every_tap=true' : ''}`;
	return { type: WEBHOOK, url, method: 'POST', body: button.object('data', 'data') };
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
	...rowsOf(button, buttonRows),
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
