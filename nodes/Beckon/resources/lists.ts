import type { INodeProperties } from 'n8n-workflow';

import { operationField } from '../shared/field';
import { GET_MANY, getMany, limitFields } from '../shared/get-many';
import { optionsField } from '../shared/options';

/** The resources that can only be listed, and the fields of every resource that can be. */
export const fields: INodeProperties[] = [
	operationField('channel', GET_MANY, [
		getMany('channels', 'List the channels that the key may name', '/channels'),
	]),
	operationField('trigger', GET_MANY, [
		getMany('triggers', 'List the workflows that a button can start', '/triggers'),
	]),
	...limitFields,
];

export const options = [
	optionsField(['channel', 'liveActivity', 'metric', 'question', 'trigger'], [GET_MANY], []),
];
