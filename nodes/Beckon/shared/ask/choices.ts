import type { INodeProperties } from 'n8n-workflow';

import { buttonTitle } from '../../../shared/fields/bounds';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { oneOf } from '../../../shared/fields/rules';
import { choice, field, group, oneRow, rowsOf, shownIf } from '../field';
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
export const responseTypeField = field('Response Type', 'responseType', {
	description: 'How to answer',
	...choice(APPROVAL, [
		{ name: 'Approval', value: APPROVAL, description: 'A button to approve, and one to decline' },
		{ name: 'Custom Choices', value: CHOICES, description: 'A button for each of your choices' },
		{ name: 'Custom Form', value: CUSTOM_FORM, description: 'A page with fields of your own' },
		{ name: 'Free Text', value: FREE_TEXT, description: 'A page to write an answer on' },
	]),
});

const approvalFields: INodeProperties[] = [
	field('Type of Approval', 'approvalType', {
		description: 'Which buttons there are',
		...choice(DOUBLE, [
			{ name: 'Approve Only', value: SINGLE },
			{ name: 'Approve and Decline', value: DOUBLE },
		]),
	}),
	field('Approve Button Label', 'approveLabel', {
		description: 'The text on the button to approve, up to 64 characters',
		default: 'Approve',
	}),
	field('Decline Button Label', 'disapproveLabel', {
		description: 'The text on the button to decline, up to 64 characters',
		default: 'Decline',
		...shownIf({ approvalType: [DOUBLE] }),
	}),
];

const choiceField = field('Label', 'label', {
	description: 'The text on the button, up to 64 characters',
	placeholder: 'e.g. Tomorrow',
});

/**
 * Uses the names and values of n8n's own send-and-wait nodes where they exist: n8n's human-review tool
 * for AI agents keeps `approvalOptions` and asks for an approval.
 */
export const choiceFields: INodeProperties[] = [
	field('Approval Options', 'approvalOptions', {
		description: 'Other buttons or labels',
		...oneRow({}, group('Values', 'values', approvalFields)),
		placeholder: 'Add option',
		...shownIf({ responseType: [APPROVAL] }),
	}),
	field('Choices', 'choices', {
		description:
			'Up to four on a push notification, two on a Live Activity. The output has the label that was tapped.',
		...rowsOf([group('Choice', 'choice', [choiceField])], { maxAllowedFields: MAX_CHOICES }),
		...shownIf({ responseType: [CHOICES] }),
	}),
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
