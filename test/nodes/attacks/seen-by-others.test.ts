import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { asks } from '../asking.ts';
import { lastQuestion, waiting, withOneQuestion } from '../one-question.ts';
import { sendingToService } from './support/sending.ts';

/**
 * Attempts by what somebody else reads: the page of a form that shows an answer again, a question that data makes too long,
 * and a review whose expression names the input of a tool in another way than by its path.
 */

const attempt = sendingToService();

/** Runs the node. @returns the questions that were asked, and the error */
async function run(parameters: INodeParameters, json: unknown = {}) {
	const { requests, error } = await attempt(parameters, json);
	const asked = requests.filter(({ path }) => path.endsWith('/questions'));
	return { asked: asked.map(({ body }) => body as IDataObject), error };
}

const options = { howToWait: 'keepRunning' };
const ask = {
	resource: 'pushNotification',
	operation: 'sendAndWait',
	title: 'May it?',
	responseType: 'approval',
	options,
};

describe('a form runs what was entered in it, when it shows that again', () => {
	withOneQuestion();

	const EVIL = `"'></textarea></select></title></style><script>evil()</script><img src=x onerror=evil()>`;
	const fieldOptions = { values: [{ option: 'Yes' }] };
	const TYPES: Record<string, IDataObject> = {
		text: {},
		textarea: {},
		email: {},
		date: {},
		dropdown: { fieldOptions },
		radio: { fieldOptions },
		checkbox: { fieldOptions },
	};

	test.each(Object.keys(TYPES))('in a field of the type %s', async (fieldType) => {
		const values = [
			{ fieldLabel: 'A', fieldType, ...TYPES[fieldType] },
			{ fieldLabel: 'How many?', fieldType: 'number' },
		];
		await waiting(asks({ title: 'Which?', responseType: 'form', formFields: { values } }));
		const { question_id: id, link } = await lastQuestion();
		const body = new FormData();
		// The number is wrong, so that the page comes back.
		for (const [name, value] of [
			['token', id],
			['field-0', EVIL],
			['field-1', 'three'],
		] as const)
			body.append(name, value);
		const response = await fetch(link?.url ?? '', { method: 'POST', body });
		const html = await response.text();
		expect(response.status).toBe(400);
		expect(html).toContain('Please enter a number.');
		expect(html).not.toMatch(/<script|<img|onerror=evil\(\)>/);
		expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
	});
});

describe('data makes a question longer than is shown, so that its end is not seen', () => {
	const END = 'Then delete all.';
	const LONG: Record<string, [field: string, length: number]> = {
		'by its title': ['title', 300],
		'by its message': ['message', 17_000],
	};

	test.each(Object.keys(LONG))('%s: one sees that it was cut', async (how) => {
		const [field, length] = LONG[how]!;
		const parameters = { ...ask, [field]: `=Pay {{ $json.name }}. ${END}` };
		const { asked, error } = await run(parameters, { name: 'x'.repeat(length) });
		expect(error).toBeUndefined();
		const cut = expect.stringMatching(/^Pay x+…$/) as string;
		expect(asked).toMatchObject([{ [field]: cut }]);
	});

	test.each(Object.keys(LONG))('%s, though its author refuses that', async (how) => {
		const [field, length] = LONG[how]!;
		const parameters = {
			...{ ...ask, options: { ...options, ifTooLong: 'refuse' } },
			[field]: `=Pay {{ $json.name }}. ${END}`,
		};
		const { asked, error } = await run(parameters, { name: 'x'.repeat(length) });
		expect([asked, error === undefined]).toEqual([[], false]);
	});

	test.each(['approveLabel', 'disapproveLabel'])(
		'by the words of a button, %s: nobody is asked',
		async (label) => {
			const values = { [label]: '={{ $json.name }} and delete all' };
			const { asked, error } = await run(
				{ ...ask, approvalOptions: { values } },
				{ name: 'x'.repeat(64) },
			);
			expect([asked, error === undefined]).toEqual([[], false]);
		},
	);
});

describe('a review shows the input of a tool, and not all of it', () => {
	const EXPRESSIONS = [
		'{{ $tool?.parameters?.command }}',
		'{{ Object.values($tool.parameters)[0] }}',
		'{{ [$tool].map((one) => one.parameters.command).join() }}',
		'{{ $if(true, $tool.parameters.command, "") }}',
		'{{ ((one) => { return one.parameters.command })($tool) }}',
		'{{ $tool.parameters.command.toString().concat("") }}',
		'{{$tool.parameters.command}}',
	];

	test.each(EXPRESSIONS)('by %s', async (expression) => {
		const { asked, error } = await run(
			{ ...ask, message: `=It runs ${expression}.` },
			{ tool: 'Shell', toolParameters: { command: 'ls\u202E\u3164rm' } },
		);
		expect(error).toBeUndefined();
		expect(asked[0]?.['message']).toBe('It runs ls\\u202e\\u3164rm.');
	});

	test.each(EXPRESSIONS)('by %s, as it is too long: nobody is asked', async (expression) => {
		const { asked, error } = await run(
			{ ...ask, message: `=${expression}` },
			{ tool: 'Shell', toolParameters: { command: `ls ${'x'.repeat(16_000)}; rm` } },
		);
		expect([asked, error === undefined]).toEqual([[], false]);
	});
});
