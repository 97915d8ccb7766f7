import type { INodeProperties } from 'n8n-workflow';

import { OF_OBJECTS, OF_VALUES } from '../../shared/fields/bounds';
import { fillsBody } from '../../shared/declared/hooks';
import { field, sendsBy } from './field';

/** An object of the user's own, for the options. @param description its purpose */
export function objectOption(
	displayName: string,
	property: string,
	description: string,
): INodeProperties {
	const send = fillsBody(property, (read) => {
		const object = read.object(property, `options.${property}`);
		for (const [name, value] of Object.entries(object ?? {})) {
			read.checked(`${property}.${name}`, value, OF_VALUES[property]);
		}
		return object && read.checked(property, object, OF_OBJECTS[property]);
	});
	return field(displayName, property, {
		description,
		type: 'json',
		default: '{}',
		...sendsBy(send),
	});
}

export const metadataField = objectOption(
	'Metadata',
	'metadata',
	'A JSON object that is kept in the history and never sent to a phone',
);
