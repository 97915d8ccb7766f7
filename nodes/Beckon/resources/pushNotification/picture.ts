import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';

import { isObject, isSuccess, type Answer } from '../../../../src/rules/answer';
import type { BeckonCall } from '../../../../src/rules/call';
import { checks } from '../../../shared/declared/hooks';
import { isUnknownEndpoint } from '../../../shared/declared/received';
import type { FindAttachment } from '../../../shared/declared/send-items';
import { Refused } from '../../../shared/errors/errors';
import { FieldReader } from '../../../shared/fields/field-reader';
import { field, sendsBy } from '../../shared/field';

const NO_PICTURES =
	'This service stores no pictures: remove the option Image From Binary Field, and use Media URL with the address of one.';

const PARAMETER = 'options.imageField';

/** The picture becomes the push's media, which rules out buttons and other media. */
const checkAlone = checks((read) => {
	if (!read.has(PARAMETER)) return;
	if (read.rows('actions', 'actions.button').length > 0) {
		read.broken('imageField', 'cannot be combined with Buttons; send one of the two');
	}
	if (read.has('options.media')) {
		read.broken('imageField', 'cannot be combined with Media URL; send one of the two');
	}
});

/** An option of a push. Beckon's addition to the API stores the file (docs/api-decisions.md). */
export const imageField = field('Image From Binary Field', 'imageField', {
	description:
		'A picture to show, unless there are buttons: JPEG, PNG, GIF or WebP, up to 2 MB, kept as long as the history',
	default: 'data',
	placeholder: 'e.g. data',
	hint: 'The name of the input field with the picture',
	...sendsBy(checkAlone),
});

/** The picture of an item, if its push shows one. @throws NodeOperationError if the item lacks the field */
export const findPicture: FindAttachment = (context, itemIndex, parameters) => {
	const read = new FieldReader(parameters);
	const isPush =
		read.text('resource', 'resource') === 'pushNotification' &&
		read.text('operation', 'operation') === 'send';
	const field = isPush ? read.text('imageField', PARAMETER) : undefined;
	if (field === undefined) return undefined;
	const { mimeType } = context.helpers.assertBinaryData(itemIndex, field);
	return {
		upload: async () => ({
			method: 'POST',
			path: '/images',
			body: await context.helpers.getBinaryDataBuffer(itemIndex, field),
			contentType: mimeType.startsWith('image/') ? mimeType : 'application/octet-stream',
		}),
		attachTo: (call, answer) => withMedia(call, urlIn(context, itemIndex, answer)),
	};
};

function urlIn(context: IExecuteFunctions, itemIndex: number, answer: Answer): string {
	if (isUnknownEndpoint(answer)) {
		throw new NodeOperationError(context.getNode(), NO_PICTURES, { itemIndex });
	}
	const url = isSuccess(answer) && isObject(answer.body) ? answer.body['url'] : undefined;
	if (typeof url !== 'string') throw new Refused(answer);
	return url;
}

/** A repeat's request contains the push. */
function withMedia(call: BeckonCall, media: string): BeckonCall {
	const { push } = call.body;
	const body = isObject(push)
		? { ...call.body, push: { ...push, media } }
		: { ...call.body, media };
	return { ...call, body };
}
