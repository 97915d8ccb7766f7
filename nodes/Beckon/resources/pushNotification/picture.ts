import { isObject, isSuccess, type Answer } from '../../../../src/rules/answer';
import type { BeckonCall } from '../../../../src/rules/call';
import { checks } from '../../../shared/declared/hooks';
import type { FindAttachment } from '../../../shared/declared/send-items';
import { Refused } from '../../../shared/errors/errors';
import { MAX_IMAGE_BYTES } from '../../../shared/fields/bounds';
import { FieldReader } from '../../../shared/fields/field-reader';
import { field, sendsBy } from '../../shared/field';

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

/** The first bytes, in hexadecimal, of the pictures that the server takes: JPEG, PNG, GIF and WebP. */
const KINDS = /^(ffd8ff|89504e470d0a1a0a|474946383[79]61|52494646.{8}57454250)/;

/** The reason why the server would reject a file. */
function problemWith(bytes: Buffer): string | undefined {
	if (bytes.length > MAX_IMAGE_BYTES) {
		const size = (bytes.length / 1e6).toFixed(1);
		return `must hold at most ${MAX_IMAGE_BYTES / 1e6} MB, but this is ${size} MB: make the picture smaller first, as with n8n's Edit Image node`;
	}
	return KINDS.test(bytes.toString('hex', 0, 12))
		? undefined
		: 'must hold a JPEG, PNG, GIF or WebP picture: convert others, such as HEIC, first';
}

/**
 * The picture of an item, if its push shows one. Each is read twice, so that not all are in memory at once.
 * @throws NodeOperationError if the item has no file, InvalidRequest if it lacks the field, or the server would not
 *   take its file
 */
export const findPicture: FindAttachment = async (context, itemIndex, parameters) => {
	const read = new FieldReader(parameters);
	const isPush =
		read.text('resource', 'resource') === 'pushNotification' &&
		read.text('operation', 'operation') === 'send';
	const field = isPush ? read.text('imageField', PARAMETER) : undefined;
	if (field === undefined) return undefined;
	const files = Object.keys(context.getInputData()[itemIndex]?.binary ?? {});
	const readBytes = async () => await context.helpers.getBinaryDataBuffer(itemIndex, field);
	// n8n's own error names neither the option nor the files. Paths, of its combined binary mode, are left to n8n.
	if (files.length > 0 && !files.includes(field) && !field.includes('.')) {
		read.broken('imageField', `must name a file of the item (${files.join(', ')}), not ${field}`);
	} else {
		context.helpers.assertBinaryData(itemIndex, field);
		read.checked('imageField', await readBytes(), problemWith);
	}
	read.assertValid((issues) => issues.map((issue) => ({ ...issue, name: imageField.displayName })));
	return {
		upload: async () => ({
			method: 'POST',
			path: '/images',
			body: await readBytes(),
			contentType: 'application/octet-stream',
		}),
		attachTo: (call, answer) => withMedia(call, urlIn(answer)),
	};
};

function urlIn(answer: Answer): string {
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
