import type {
	INodeProperties,
	INodePropertyOptions,
	INodePropertyTypeOptions,
	PreSendAction,
} from 'n8n-workflow';

import { badgeBounds } from '../../shared/fields/bounds';

/** A field; without `more`, a text that may stay empty. */
export function field(
	displayName: string,
	name: string,
	description: string,
	more: Omit<Partial<INodeProperties>, 'description'> = {},
): INodeProperties & { description: string } {
	return { displayName, name, type: 'string', default: '', description, ...more };
}

/**
 * Rows that an author adds, removes and sorts.
 * @param bounds how many there may be, but not how few: n8n demands rows of every field that it shows, and it shows them
 *   all if an expression gives the choice that decides it
 */
export const rowsOf = (
	what: string,
	bounds: INodePropertyTypeOptions = {},
): Partial<INodeProperties> => ({
	type: 'fixedCollection',
	placeholder: `Add ${what}`,
	typeOptions: { multipleValues: true, sortable: true, ...bounds },
	default: {},
});

/** Sends a field's value unchanged, as this property of the body. */
export const sends = (property: string): Pick<INodeProperties, 'routing'> => ({
	routing: { send: { type: 'body', property } },
});

/** Sends what hooks make of a field's value. */
export const sendsBy = (...preSend: PreSendAction[]): Pick<INodeProperties, 'routing'> => ({
	routing: { send: { preSend } },
});

/** The operations of a resource; each option is a literal, which n8n's linter reads. */
export const operationField = (
	resource: string,
	chosen: string,
	options: INodePropertyOptions[],
): INodeProperties => ({
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: [resource] } },
	options,
	default: chosen,
});

/** The number on the app icon. */
export const badgeNumber: Partial<INodeProperties> = {
	type: 'number',
	typeOptions: badgeBounds,
	default: 1,
};

type Show = Record<string, string[]>;

/**
 * Shows fields for only one operation, in addition to their own conditions. n8n checks the conditions
 * in order and shows a field as soon as one depends on an expression. So the operation is first: an
 * activity type given by an expression must not make n8n demand the required fields of other
 * operations.
 */
export function shownFor(show: Show, fields: INodeProperties[]): INodeProperties[] {
	return fields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
	}));
}
