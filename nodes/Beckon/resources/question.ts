import type { INodeProperties } from 'n8n-workflow';

import { fillsPath } from '../../shared/declared/hooks';
import { successOnly, type Received } from '../../shared/declared/received';
import { questionId } from '../../shared/fields/bounds';
import { responderIn } from '../shared/ask/asked';
import { calls, field, operationField, sendsBy, shownFor } from '../shared/field';
import { getMany } from '../shared/get-many';
import { optionsField, parallelRequests } from '../shared/options';
import { pickedKey } from '../shared/pickers/key-field';

const resource = 'question';

const QUESTION = '/questions/{question_id}';

/** Adds who answered to the state, as Send and Wait does. */
const withResponder: Received = async (items) =>
	items.map(({ json }) => ({ json: { ...json, responder: responderIn(json['answer']) } }));

const received = [
	successOnly('Only the key that asked, and keys of all channels, know a question.'),
	withResponder,
];

/** Questions are asked by the operations that wait for the answer. */
export const fields: INodeProperties[] = [
	operationField(resource, 'get', [
		{
			name: 'Get',
			value: 'get',
			action: 'Get question',
			description: 'Get the state of a question, and its answer',
			routing: calls('GET', QUESTION, received),
		},
		getMany('questions', 'List the open questions of the key, newest first', '/questions'),
		{
			name: 'Withdraw',
			value: 'withdraw',
			action: 'Withdraw question',
			description: 'End an open question; every phone says so',
			routing: calls('DELETE', QUESTION, received),
		},
	]),
	...shownFor({ resource: [resource], operation: ['get', 'withdraw'] }, [
		field('Question', 'questionId', {
			description: 'The open question, or the ID of any',
			...pickedKey(
				'searchQuestions',
				{ list: 'Choose an open question…', key: 'e.g. {{ $json.question_id }}' },
				'ID',
			),
			...sendsBy(fillsPath('question_id', 'questionId', questionId)),
		}),
	]),
];

export const options = [optionsField(resource, ['get', 'withdraw'], [parallelRequests])];
