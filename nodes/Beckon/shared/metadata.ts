import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../../src/declared/hooks';

const sendMetadata = fillsBody('metadata', (read) => read.object('metadata', 'options.metadata'));

export const metadataField: INodeProperties = {
	displayName: 'Metadata',
	name: 'metadata',
	type: 'json',
	default: '{}',
	description:
		'A JSON object of texts, numbers, true, false and null that is kept in the history and never sent to a phone',
	routing: { send: { preSend: [sendMetadata] } },
};
