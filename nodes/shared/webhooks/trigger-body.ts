import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../../src/rules/answer';

/** The body that a button sends and a Beckon Trigger accepts. */
export function triggerBody(secret: string, data: object): IDataObject {
	return { secret, data: data };
}

/** The two parts of a received body; undefined if the body has another form. */
export function readTriggerBody(body: unknown): { secret: string; data: IDataObject } | undefined {
	if (!isObject(body) || typeof body['secret'] !== 'string') return undefined;
	const { secret, data } = body;
	return { secret, data: isObject(data) ? (data as IDataObject) : {} };
}
