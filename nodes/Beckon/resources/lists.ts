import type { INodeProperties } from 'n8n-workflow';

import { operationField } from '../shared/field';
import { GET_MANY, limitFields, lists } from '../shared/get-many';
import { optionsField } from '../shared/options';

/** The resources that can only be listed here, and the fields of all that can be. */
export const listFields: INodeProperties[] = [
	operationField('channel', GET_MANY, [
		{
			name: 'Get Many',
			value: GET_MANY,
			action: 'Get many channels',
			description: 'List the channels that the key may name',
			routing: lists('/channels', 'channels'),
		},
	]),
	operationField('trigger', GET_MANY, [
		{
			name: 'Get Many',
			value: GET_MANY,
			action: 'Get many triggers',
			description: 'List the workflows that a button can start',
			routing: lists('/triggers', 'triggers'),
		},
	]),
	...limitFields,
];

export const listOptions = [
	optionsField(['channel', 'liveActivity', 'metric', 'question', 'trigger'], [GET_MANY], []),
];
