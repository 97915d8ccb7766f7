import type { INodeProperties } from 'n8n-workflow';

import { buttonTitle } from '../../../shared/fields/bounds';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { oneOf } from '../../../shared/fields/rules';
import { CUSTOM_FORM, FORM_TYPES, FREE_TEXT } from './form-fields';

/** One possible answer. */
export interface Choice {
	/** The text on the button, also given to the workflow. */
	label: string;
	/** For approvals only. */
	approved?: boolean;
}

const APPROVAL = 'approval';
const CHOICES = 'choices';

const SINGLE = 'single';
const DOUBLE = 'double';

const MAX_CHOICES = 4;

/** The first of {@link choiceFields}. */
export const responseTypeField: INodeProperties = {
	displayName: 'Response Type',
	name: 'responseType',
	type: 'options',
	default: APPROVAL,
	options: [
		{ name: 'Approval', value: APPROVAL, description: 'A button to approve, and one to decline' },
		{
			name: 'Custom Form',
			value: CUSTOM_FORM,
			description: 'A button that opens a page with fields of your own',
		},
		{
			name: 'Free Text',
			value: FREE_TEXT,
			description: 'A button that opens a page to write an answer on',
		},
		{ name: 'Custom Choices', value: CHOICES, description: 'A button for each of your choices' },
	],
	description: 'How the question is answered',
};

/**
 * Uses the names and values of n8n's own send-and-wait nodes where they exist: n8n's human-review tool
 * for AI agents keeps `approvalOptions` and asks for an approval.
 */
export const choiceFields: INodeProperties[] = [
	{
		displayName: 'Approval Options',
		name: 'approvalOptions',
		type: 'fixedCollection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: { responseType: [APPROVAL] } },
		options: [
			{
				displayName: 'Values',
				name: 'values',
				values: [
					{
						displayName: 'Type of Approval',
						name: 'approvalType',
						type: 'options',
						default: DOUBLE,
						options: [
							{ name: 'Approve Only', value: SINGLE },
							{ name: 'Approve and Decline', value: DOUBLE },
						],
						description: 'Which buttons there are',
					},
					{
						displayName: 'Approve Button Label',
						name: 'approveLabel',
						type: 'string',
						default: 'Approve',
						description: 'The text on the button to approve, up to 64 characters',
					},
					{
						displayName: 'Decline Button Label',
						name: 'disapproveLabel',
						type: 'string',
						default: 'Decline',
						displayOptions: { show: { approvalType: [DOUBLE] } },
						description: 'The text on the button to decline, up to 64 characters',
					},
				],
			},
		],
	},
	{
		displayName: 'Choices',
		name: 'choices',
		type: 'fixedCollection',
		placeholder: 'Add Choice',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Choice', sortable: true },
		default: {},
		displayOptions: { show: { responseType: [CHOICES] } },
		options: [
			{
				displayName: 'Choice',
				name: 'choice',
				values: [
					{
						displayName: 'Label',
						name: 'label',
						type: 'string',
						default: '',
						placeholder: 'e.g. Tomorrow',
						description: 'The text on the button, up to 64 characters',
					},
				],
			},
		],
		description:
			'Up to four buttons on a push notification, up to two on a Live Activity. The workflow gets the label of the one that was tapped.',
	},
];

function readApproval(read: FieldReader): Choice[] {
	const options = read.row('approvalOptions', 'approvalOptions.values');
	const approve = options?.text('approveLabel', 'approveLabel', buttonTitle) ?? 'Approve';
	const choices: Choice[] = [{ label: approve, approved: true }];
	if (options?.text('approvalType', 'approvalType', oneOf([SINGLE, DOUBLE])) !== SINGLE) {
		const decline = options?.text('disapproveLabel', 'disapproveLabel', buttonTitle) ?? 'Decline';
		choices.push({ label: decline, approved: false });
	}
	return choices;
}

function readOwnChoices(read: FieldReader, most: number): Choice[] {
	const labels = read
		.rows('choices', 'choices.choice')
		.map((row) => row.required('label', row.text('label', 'label', buttonTitle)) ?? '');
	if (labels.length === 0) read.broken('choices', 'must have at least one choice');
	if (labels.length > most) read.broken('choices', `must have at most ${most} choices`);
	return labels.map((label) => ({ label }));
}

/** @param most the number of buttons that fit */
export function readChoices(read: FieldReader, most = MAX_CHOICES): Choice[] {
	const type = read.text('responseType', 'responseType', oneOf([APPROVAL, CHOICES, ...FORM_TYPES]));
	const choices = type === CHOICES ? readOwnChoices(read, most) : readApproval(read);
	const labels = choices.map(({ label }) => label);
	if (new Set(labels).size < labels.length) {
		read.broken(type === CHOICES ? 'choices' : 'approvalOptions', 'must not repeat a label');
	}
	return choices;
}
