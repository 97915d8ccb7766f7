import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../../shared/declared/hooks';
import { buttonTitle } from '../../../shared/fields/bounds';
import { UNSEEN } from '../../../shared/fields/unseen';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { choice, field, group, oneRow, rowsOf, sendsBy, shownIf } from '../field';

/** One possible answer. */
export interface Choice {
	/** The id by which the server's answer refers to it. */
	id: string;
	/** The text on the button, also given to the workflow. */
	label: string;
	/** For approvals only. */
	approved?: boolean;
}

export const APPROVAL = 'approval';
export const CHOICES = 'choices';

const SINGLE = 'single';
const DOUBLE = 'double';

const MAX_CHOICES = 4;

const approvalFields: INodeProperties[] = [
	field('Type of Approval', 'approvalType', {
		description: 'Which buttons there are',
		...choice(DOUBLE, { [SINGLE]: 'Approve Only', [DOUBLE]: 'Approve and Decline' }),
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

const sendChoices = fillsBody('choices', (read) =>
	readChoices(read).map(({ id, label }) => ({ id, title: label })),
);

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
		...sendsBy(sendChoices),
	}),
	field('Choices', 'choices', {
		description: 'Up to four. The output has the label that was tapped.',
		...rowsOf(group('Choice', 'choice', [choiceField]), {
			minRequiredFields: 1,
			maxAllowedFields: MAX_CHOICES,
		}),
		...shownIf({ responseType: [CHOICES] }),
		...sendsBy(sendChoices),
	}),
];

function readApproval(read: FieldReader): Choice[] {
	const options = read.row('approvalOptions', 'approvalOptions.values');
	const approve = options?.text('approveLabel', 'approveLabel', buttonTitle) ?? 'Approve';
	const decline = options?.text('disapproveLabel', 'disapproveLabel', buttonTitle) ?? 'Decline';
	const both = [
		{ id: 'approve', label: approve, approved: true },
		{ id: 'decline', label: decline, approved: false },
	];
	const type = options?.choice('approvalType', 'approvalType', [SINGLE, DOUBLE]);
	return type === SINGLE ? both.slice(0, 1) : both;
}

function readOwnChoices(read: FieldReader): Choice[] {
	const labels = read
		.rows('choices', 'choices.choice')
		.map((row) => row.required('label', row.text('label', 'label', buttonTitle)) ?? '');
	if (labels.length === 0) read.broken('choices', 'must have at least one choice');
	return labels.map((label, index) => ({ id: String(index + 1), label }));
}

/** The choices of a question; none if it is not answered by buttons. */
export function readChoices(read: FieldReader): Choice[] {
	const type = read.text('responseType', 'responseType');
	if (type !== APPROVAL && type !== CHOICES) return [];
	const choices = type === CHOICES ? readOwnChoices(read) : readApproval(read);
	// Invisible characters do not distinguish two buttons.
	const seen = choices.map(({ label }) => label.replace(UNSEEN, ' ').trim());
	const isRepeated = new Set(seen).size < choices.length;
	if (isRepeated) read.broken('choices', 'must not repeat a label');
	return choices;
}
