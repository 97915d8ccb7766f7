import type { INodeProperties } from 'n8n-workflow';

import type { FieldReader } from '../../../src/field-reader';

export const metadataField: INodeProperties = {
	displayName: 'Metadata',
	name: 'metadata',
	type: 'json',
	default: '{}',
	description:
		'A JSON object of texts, numbers, true, false and null that is kept in the history and never sent to a phone',
};

export function metadataOf(read: FieldReader): object | undefined {
	return read.object('metadata', 'options.metadata');
}
