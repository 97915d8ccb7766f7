import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { asks } from '../asking.ts';
import { lastQuestion, waiting, withOneQuestion } from '../one-question.ts';
import { sendingToService } from './support/sending.ts';

/** Attempts by the fields beside those that are checked: of a human review, of a question, and of a button. */

const attempt = sendingToService();

/** Runs the node. @returns the bodies that were sent, and the error */
async function run(parameters: INodeParameters, json: unknown = {}) {
	const { requests, error } = await attempt(parameters, json);
	return { sent: requests.map(({ body }) => body as IDataObject), error };
}

const send = { resource: 'pushNotification', operation: 'send', title: 'T' };
const ask = {
	...send,
	operation: 'sendAndWait',
	responseType: 'approval',
	options: { howToWait: 'keepRunning' },
};

describe('a human review hides what the tool gets', () => {
	const COMMAND = '{{ $tool.parameters.command }}';
	const inOptions = (more: object) =>
		({ ...ask, options: { ...ask.options, ...more } }) as INodeParameters;
	const review = async (parameters: INodeParameters, command: string) => {
		const { sent, error } = await run(parameters, { tool: 'Shell', toolParameters: { command } });
		return { text: JSON.stringify(sent), sent, error };
	};

	const BLANKS: Array<[string, string]> = [
		['in place of an object', '\uFFFC'],
		['of music', '\u{1D159}'],
		['of Khitan', '\u{16FE4}'],
		['that joins Tifinagh', '\u2D7F'],
		['that joins Brahmi', '\u{1107F}'],
		['of Egypt', '\u{13441}'],
	];

	test.each(BLANKS)('behind blanks %s, of which there are many', async (_what, blank) => {
		const command = `ls${blank.repeat(1_000)};rm -rf ~`;
		const { text } = await review({ ...ask, message: `=${COMMAND}` }, command);
		expect(text).toContain('rm -rf ~');
		expect(text).not.toContain(blank);
	});

	test.each([
		['on a letter', `ls a\u0336\u0337\u0338\u20DD`],
		['at the start', '\u0338\u0338\u0338ls'],
	])('under marks that are piled %s', async (_where, command) => {
		const { text } = await review({ ...ask, message: `=${COMMAND}` }, command);
		expect(text).not.toMatch(/\p{M}{3}/u);
	});

	const FIELDS: Record<string, INodeParameters> = {
		'the subtitle': inOptions({ subtitle: `=${COMMAND}` }),
		'the label to approve': {
			...ask,
			approvalOptions: { values: { approveLabel: `=${COMMAND}` } },
		},
	};

	// Low: an author has to show it there, which no example does. Only Title and Message have `showsToolInput` (ask/question.ts);
	// every other text that is sent with a review is as its expression gives it, and a subtitle is cut at 255 characters.
	// Fix: in `sendAndWait`, refuse `$tool` in any parameter but these two.
	test.failing.each(Object.keys(FIELDS))('in %s: letters that nobody sees', async (where) => {
		const { text } = await review(FIELDS[where]!, 'ls\u202E\u3164');
		expect(text).not.toMatch(/[\u202E\u3164]/);
	});

	const refusesLong = async (where: string) => {
		const { sent, error } = await review(FIELDS[where]!, `ls ${'x'.repeat(300)};rm -rf ~`);
		expect([sent, error === undefined]).toEqual([[], false]);
	};

	// Low, as above.
	test.failing('in the subtitle: what is too long is refused, not cut', async () =>
		refusesLong('the subtitle'),
	);

	test('in the label to approve: what is too long is refused, not cut', async () =>
		refusesLong('the label to approve'));

	test('behind braces in a text of its expression', async () => {
		const message = '={{ $tool.parameters.command + "}}" }}';
		const { text, error } = await review({ ...ask, message }, 'ls\u202E');
		if (error === undefined) expect(text).not.toContain('\u202E');
	});
});

describe('the data of a workflow is run on the page of a form', () => {
	withOneQuestion();

	const EVIL = `"'></textarea></select></title></style><script>evil()</script><img src=x onerror=evil()>`;
	const PLACES: Record<string, INodeParameters> = {
		'the title': { title: EVIL },
		'the message': { message: EVIL },
		'the words on its button': { options: { responseFormButtonLabel: EVIL } },
		...Object.fromEntries(
			['fieldLabel', 'placeholder', 'defaultValue'].flatMap((part) =>
				['text', 'textarea', 'email', 'number', 'date'].map((fieldType) => [
					`the ${part} of a ${fieldType} field`,
					{ formFields: { values: [{ fieldLabel: 'A', fieldType, [part]: EVIL }] } },
				]),
			),
		),
		...Object.fromEntries(
			['radio', 'checkbox', 'dropdown'].map((fieldType) => [
				`a choice of a ${fieldType}`,
				{
					formFields: {
						values: [{ fieldLabel: 'A', fieldType, fieldOptions: { values: [{ option: EVIL }] } }],
					},
				},
			]),
		),
	};

	test.each(Object.keys(PLACES))('as %s', async (place) => {
		const form = {
			title: 'Which?',
			responseType: 'form',
			formFields: { values: [{ fieldLabel: 'A', fieldType: 'text' }] },
		};
		await waiting(asks({ ...form, ...PLACES[place] }));
		const response = await fetch((await lastQuestion()).link?.url ?? '');
		const html = await response.text();
		expect(html).not.toMatch(/<script|<img|onerror=evil\(\)>/);
		expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
	});
});
