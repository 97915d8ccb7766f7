import type {
	IDataObject,
	IHttpRequestMethods,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodePropertyRouting,
	INodePropertyTypeOptions,
	PreSendAction,
} from 'n8n-workflow';

import type { Received } from '../../shared/declared/received';
import { badgeBounds } from '../../shared/fields/bounds';

/** The properties of a field beyond its names. */
type Part = Partial<INodeProperties>;

/** A field: by default, a text that may stay empty. */
export const field = (
	displayName: string,
	name: string,
	parts: Part & { description: string },
): INodeProperties & { description: string } => ({
	displayName,
	name,
	type: 'string',
	default: '',
	...parts,
});

/** A number, which may stay empty. @param bounds as n8n's editor takes them */
export const numeric = (bounds: INodePropertyTypeOptions, initial: number | '' = ''): Part => ({
	type: 'number',
	typeOptions: bounds,
	default: initial,
});

/** True or false. */
export const toggle = (initial: boolean): Part => ({ type: 'boolean', default: initial });

/** The names of options by their values, with or without descriptions. */
type Named = Record<string, string | [name: string, description: string]>;

/** Options as n8n takes them. */
export const named = (options: Named): INodePropertyOptions[] =>
	Object.entries(options).map(([value, words]) => {
		const [name = '', description] = [words].flat();
		return { name, value, ...(description !== undefined && { description }) };
	});

/** One of the options. */
export const choice = (initial: string, options: INodePropertyOptions[] | Named): Part => ({
	type: 'options',
	default: initial,
	options: Array.isArray(options) ? options : named(options),
});

/** Fields that are filled in together. */
export const group = (
	displayName: string,
	name: string,
	values: INodeProperties[],
): INodePropertyCollection => ({ displayName, name, values });

/**
 * Rows that an author adds, removes and sorts.
 * @param bounds the maximum number of rows. There is no minimum: n8n would demand rows of every field that it shows,
 *   and it shows all fields if the choice that decides it is an expression
 */
export const rowsOf = (
	kind: INodePropertyCollection,
	bounds: INodePropertyTypeOptions = {},
): Part => ({
	type: 'fixedCollection',
	placeholder: `Add ${kind.displayName}`,
	typeOptions: { multipleValues: true, sortable: true, ...bounds },
	default: {},
	options: [kind],
});

/** One row. @param initial what adding the field fills in, by the name of the row's group */
export const oneRow = (
	initial: INodeProperties['default'],
	kind: INodePropertyCollection,
): Part => ({
	type: 'fixedCollection',
	default: initial,
	options: [kind],
});

/** Fields that an author adds as needed. */
export const collection = (
	displayName: string,
	name: string,
	placeholder: string,
	options: INodeProperties[],
): INodeProperties => ({
	displayName,
	name,
	type: 'collection',
	placeholder,
	default: {},
	options,
});

type Show = Record<string, string[]>;

/** Shows a field only if other parameters have these values; `/name` is one outside of the collection. */
export const shownIf = (show: Show): Part => ({ displayOptions: { show } });

/** Sends a field's value unchanged, as this property of the body. */
export const sends = (property: string): Pick<INodeProperties, 'routing'> => ({
	routing: { send: { type: 'body', property } },
});

/** Lets hooks turn a field's value into parts of the request. */
export const sendsBy = (...preSend: PreSendAction[]): Pick<INodeProperties, 'routing'> => ({
	routing: { send: { preSend } },
});

/**
 * The request of an operation.
 * @param postReceive what happens with the answer, in this order
 * @param body content of the request that no field fills in
 */
export const calls = (
	method: IHttpRequestMethods,
	url: string,
	postReceive: Received[],
	body?: IDataObject,
): INodePropertyRouting => ({
	request: { method, url, ...(body && { body }) },
	output: { postReceive },
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
export const badgeNumber = numeric(badgeBounds, 1);

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
