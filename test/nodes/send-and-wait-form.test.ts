import type { INodeParameters } from 'n8n-workflow';

import { asks, asksInLoop } from './asking.ts';
import { execution, lastQuestion, phone, waiting, withOneQuestion } from './one-question.ts';

withOneQuestion();

const BROWSER = { accept: 'text/html,application/xhtml+xml' };

const FIELDS = [
	{ fieldLabel: 'Name', fieldType: 'text', requiredField: true, placeholder: 'Your name' },
	{ fieldLabel: 'How many?', fieldType: 'number', defaultValue: '2' },
	{
		fieldLabel: 'When?',
		fieldType: 'dropdown',
		fieldOptions: { values: [{ option: 'Today' }, { option: 'Tomorrow' }] },
	},
	{
		fieldLabel: 'Extras',
		fieldType: 'checkbox',
		fieldOptions: { values: [{ option: 'Milk' }, { option: 'Sugar' }] },
	},
	{ fieldLabel: 'Note', fieldType: 'textarea' },
];

const FORM = {
	title: 'Order coffee?',
	message: 'The machine is free',
	responseType: 'form',
	formFields: { values: FIELDS },
} as unknown as INodeParameters;

/** A draft to edit. */
const REPLY = {
	title: 'What shall I reply?',
	responseType: 'form',
	formFields: {
		values: [{ fieldLabel: 'Reply', fieldType: 'textarea', defaultValue: 'Thanks!' }],
	},
} as unknown as INodeParameters;

/** A form cannot know who fills it in. */
const BY_FORM = { status: 'answered', responder: null, respondedAt: expect.any(String) as string };

const ask = async (parameters: INodeParameters) => await waiting(asks(parameters));

/** Opens the page as the button on the phone does. */
async function open(): Promise<{ url: string; page: string; token: string; response: Response }> {
	const { url = '' } = (await lastQuestion()).link ?? {};
	const response = await fetch(url, { headers: BROWSER });
	const page = await response.text();
	const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';
	return { url, page, token, response };
}

/** Sends the page's form as a browser does, in the encoding that the page names. */
async function submit(url: string, fields: Array<[name: string, value: string]>) {
	const body = new FormData();
	for (const [name, value] of fields) body.append(name, value);
	return await fetch(url, { method: 'POST', headers: BROWSER, body });
}

test('a form has one button, which opens the page', async () => {
	await ask({ ...REPLY, options: { messageButtonLabel: 'Reply' } });

	expect(await lastQuestion()).toMatchObject({
		link: { title: 'Reply', url: expect.stringContaining('signature=') as string },
	});
	const { page, response } = await open();
	expect(page).toContain('<form method="post" enctype="multipart/form-data">');
	expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
	expect(page).toContain('<h1>What shall I reply?</h1>');
	expect(page).toContain('>\nThanks!</textarea>');
	expect(page).not.toContain('<script');
	expect(execution.isWaiting).toBe(true);
});

test('a draft goes on as it was edited', async () => {
	await ask(REPLY);
	const { url, token } = await open();
	const goneOn = execution.goneOn();

	const response = await submit(url, [
		['token', token],
		['field-0', 'Thanks!\r\nSee you'],
	]);

	expect(await response.text()).toContain('Your answer was recorded');
	expect((await goneOn).itemsOf('After').map(({ json }) => json)).toEqual([
		{ data: { Reply: 'Thanks!\nSee you', ...BY_FORM } },
	]);
});

test('a form goes on with its values by their labels, without a user', async () => {
	await ask(FORM);
	const { url, token, page } = await open();
	expect(page).toMatch(/<label>Name \*<input type="text" name="field-0"[^>]* required>/);
	expect(page).toContain('placeholder="Your name"');
	expect(page).toContain('<input type="number" name="field-1" value="2"');
	expect(page).toContain('<option value="Tomorrow">Tomorrow</option>');
	const goneOn = execution.goneOn();

	await submit(url, [
		['token', token],
		['field-0', ' Ada '],
		['field-1', '3'],
		['field-2', 'Tomorrow'],
		['field-3', 'Milk'],
		['field-3', 'Sugar'],
		['field-4', ''],
	]);

	expect((await goneOn).itemsOf('After').map(({ json }) => json)).toEqual([
		{
			data: {
				Name: 'Ada',
				'How many?': 3,
				'When?': 'Tomorrow',
				Extras: ['Milk', 'Sugar'],
				Note: null,
				...BY_FORM,
			},
		},
	]);
});

test.each<[string, Array<[string, string]>, string]>([
	['a required field is empty', [['field-0', ' ']], 'Please fill in this field.'],
	[
		'a number is none',
		[
			['field-0', 'Ada'],
			['field-1', 'many'],
		],
		'Please enter a number.',
	],
	[
		'a choice is not offered',
		[
			['field-0', 'Ada'],
			['field-2', 'Never'],
		],
		'Please choose from the list.',
	],
	['a text is too long', [['field-0', 'x'.repeat(4001)]], 'Please write at most 4,000 characters.'],
])('the page is shown again with what was typed when %s', async (_what, fields, problem) => {
	await ask(FORM);
	const { url, token } = await open();

	const response = await submit(url, [['token', token], ...fields, ['field-4', 'Keep <this>']]);
	const page = await response.text();

	expect(response.status).toBe(400);
	expect(page).toContain(problem);
	expect(page).toContain('Keep &lt;this&gt;</textarea>');
	expect(execution.isWaiting).toBe(true);
});

test.each([[[]], [[['token', 'guessed']]]] as Array<[Array<[string, string]>]>)(
	'an answer that does not come from the page is refused: %j',
	async (token) => {
		await ask(REPLY);
		const { url } = await open();

		const response = await submit(url, [...token, ['field-0', 'Hi']]);

		expect(response.status).toBe(400);
		expect(await response.text()).toContain('Open the page again from the notification');
		expect(execution.isWaiting).toBe(true);
	},
);

test('a form counts once, however often it is sent', async () => {
	await ask(REPLY);
	const { url, token } = await open();
	const goneOn = execution.goneOn();
	const answers = await Promise.all(
		['first', 'second'].map(
			async (text) =>
				await submit(url, [
					['token', token],
					['field-0', text],
				]),
		),
	);

	expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
	expect((await goneOn).itemsOf('After')).toHaveLength(1);
});

test('the token of an earlier question does not answer a later one', async () => {
	await waiting(asksInLoop({ ...REPLY, title: '=Item {{ $json.n }}?' }));
	const first = await open();
	const goneOn = execution.goneOn();
	await submit(first.url, [
		['token', first.token],
		['field-0', 'One'],
	]);
	expect((await goneOn).status).toBe('waiting');
	const second = await open();

	expect(second.token).not.toBe(first.token);
	const stale = await submit(second.url, [
		['token', first.token],
		['field-0', 'Two'],
	]);
	expect(stale.status).toBe(400);
	expect(execution.isWaiting).toBe(true);
});

test('all texts are escaped', async () => {
	const evil = '"><script>alert(1)</script>';
	await ask({
		title: evil,
		message: evil,
		responseType: 'form',
		formFields: {
			values: [
				{ fieldLabel: evil, fieldType: 'textarea', defaultValue: '</textarea><b>' },
				{
					fieldLabel: 'Pick',
					fieldType: 'radio',
					fieldOptions: { values: [{ option: evil }] },
				},
			],
		},
		options: { responseFormButtonLabel: evil },
	});

	const { page } = await open();

	expect(page).not.toMatch(/<script|<b>|"><s/);
	expect(page).toContain('&quot;&gt;&lt;script&gt;');
});

test.each<[string, INodeParameters, string]>([
	[
		'a label twice',
		{ formFields: { values: [{ fieldLabel: 'A' }, { fieldLabel: 'A' }] } },
		'Form Elements must not repeat a label.',
	],
	[
		'a dropdown without choices',
		{ formFields: { values: [{ fieldLabel: 'A', fieldType: 'dropdown' }] } },
		'Form Element 1: Choices must have at least one choice.',
	],
])('a form with %s is not sent', async (_what, parameters, message) => {
	const before = (await phone.inbox()).length;
	const { status, error } = await ask({ ...FORM, ...parameters });

	expect([status, error?.message]).toEqual(['error', message]);
	expect((await phone.inbox()).length).toBe(before);
});

test('n8n itself refuses a form with no field, and one with 21, as the editor shows', async () => {
	await expect(ask({ ...FORM, formFields: {} })).rejects.toThrow('At least 1 field is required.');
	const values = Array.from({ length: 21 }, (_, index) => ({ fieldLabel: `Field ${index}` }));

	await expect(ask({ ...FORM, formFields: { values } })).rejects.toThrow(
		'At most 20 fields are allowed.',
	);
});
