import type { INodeProperties } from 'n8n-workflow';

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
