import type { INodeProperties } from 'n8n-workflow';

import type { FieldReader } from '../../../../src/field-reader';
import { streamKey } from '../../../../src/rules';
import { pathOf } from '../../shared/paths';

export const streamKeyField: INodeProperties = {
	displayName: 'Stream Key',
	name: 'streamKey',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. deploy-production',
	displayOptions: { show: { resource: ['liveActivity'] } },
	description:
		'A name of your own for the thing that goes on. The same key always means the same Live Activity. Letters, digits, underscores and hyphens.',
};

export function streamPathOf(read: FieldReader): string {
	const key = read.required('stream_key', read.text('stream_key', 'streamKey', streamKey));
	return `/live-activity/stream${pathOf(key)}`;
}
