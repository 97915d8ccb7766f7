import type { INodeProperties, PreSendAction } from 'n8n-workflow';

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

/** Sends a field's value unchanged, as this property of the body. */
export const sends = (property: string): Pick<INodeProperties, 'routing'> => ({
	routing: { send: { type: 'body', property } },
});

/** Sends what hooks make of a field's value. */
export const sendsBy = (...preSend: PreSendAction[]): Pick<INodeProperties, 'routing'> => ({
	routing: { send: { preSend } },
});

/** The number on the app icon. */
export const badgeNumber: Partial<INodeProperties> = {
	type: 'number',
	typeOptions: badgeBounds,
	default: 1,
};
