import type { INodeProperties } from 'n8n-workflow';

type Show = Record<string, string[]>;

/**
 * Fields shown only for one operation, beside the conditions that they have themselves.
 * n8n looks at the conditions in their order and shows a field as soon as one depends on an
 * expression. So the operation comes first: an activity type given by an expression must not make
 * n8n demand the required fields of other operations.
 */
export function shownFor(show: Show, fields: INodeProperties[]): INodeProperties[] {
	return fields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
	}));
}
