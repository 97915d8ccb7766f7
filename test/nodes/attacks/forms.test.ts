import type { INodeParameters } from 'n8n-workflow';

import { asks } from '../asking.ts';
import { execution, goneOnWith, lastQuestion, waiting, withOneQuestion } from '../one-question.ts';

/** Attempts with the address of a form's page, which everybody has who got the question, and with that of a callback. */

withOneQuestion();

const FORM = {
	title: 'Which?',
	responseType: 'form',
	formFields: {
		values: [
			{
				fieldLabel: 'When?',
				fieldType: 'radio',
				requiredField: true,
				fieldOptions: { values: [{ option: 'Today' }, { option: 'Never' }] },
			},
			{ fieldLabel: 'Why?', fieldType: 'text' },
		],
	},
} as unknown as INodeParameters;

const BOSS = { user: 'Boss', device: 'iPhone' };

/** The end of a question as the server reports it, forged by somebody who knows its id. */
const told = (questionId: string, answer: object) => ({
	question_id: questionId,
	status: 'answered',
	answer: { by: BOSS, at: '2026-03-01T12:00:00.000Z', ...answer },
});

async function askForm() {
	await waiting(asks(FORM));
	const { link, question_id: id } = await lastQuestion();
	return { url: link?.url ?? '', id };
}

const postJson = async (url: string, body: unknown) =>
	await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});

describe('who has the address of a form answers as another', () => {
	test.each<[string, (url: URL) => void]>([
		['as it is', () => undefined],
		['without its mark', (url) => url.searchParams.delete('form')],
		['with an empty mark', (url) => url.searchParams.set('form', '')],
		['with two marks', (url) => url.searchParams.append('form', '0')],
		['of another round', (url) => url.searchParams.set('round', '2')],
		['without a round', (url) => url.searchParams.delete('round')],
		['without a signature', (url) => url.searchParams.delete('signature')],
		['with more behind it', (url) => (url.pathname += '/default')],
	])('by reporting the end of the question to it, %s', async (_how, change) => {
		const { url, id } = await askForm();
		const changed = new URL(url);
		change(changed);
		const response = await postJson(changed.href, told(id, { fields: { 'When?': 'Today' } }));
		expect(response.status).toBeGreaterThanOrEqual(400);
		expect(execution.isWaiting).toBe(true);
	});

	test.each<[string, Array<[string, string]>]>([
		['a choice that is none', [['field-0', 'Later']]],
		[
			'two choices of which one may be made',
			[
				['field-0', 'Today'],
				['field-0', 'Never'],
			],
		],
		['no choice', [['field-1', 'Because']]],
		[
			'a choice in another place',
			[
				['When?', 'Today'],
				['data[field-0]', 'Today'],
			],
		],
		['a choice with blanks', [['field-0', ' Today']]],
		[
			'a name that every object has',
			[
				['__proto__', 'Today'],
				['constructor', 'Today'],
			],
		],
	])('with %s', async (_what, fields) => {
		const { url, id } = await askForm();
		const body = new FormData();
		for (const [name, value] of [['token', id], ...fields] as Array<[string, string]>)
			body.append(name, value);
		const response = await fetch(url, { method: 'POST', body });
		expect(response.status).toBe(400);
		expect(execution.isWaiting).toBe(true);
	});

	test('with fields that the page does not have: they are left out', async () => {
		const { url, id } = await askForm();
		const body = new FormData();
		const fields = {
			token: id,
			'field-0': 'Today',
			responder: 'Boss',
			by: 'Boss',
			status: 'expired',
		};
		for (const [name, value] of Object.entries(fields)) body.append(name, value);
		const goneOn = execution.goneOn();
		expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
		const [item] = (await goneOn).itemsOf('After');
		expect(item?.json['data']).toEqual({
			status: 'answered',
			'When?': 'Today',
			'Why?': null,
			responder: null,
			respondedAt: expect.any(String) as string,
		});
	});
});

describe('who has the address of a callback answers as another', () => {
	test('with the end of another question', async () => {
		await waiting(asks({ title: 'Deploy?' }));
		const url = execution.resumeUrl('Ask', { round: '1' });
		for (const body of [
			told('q', { choice: 'approve' }),
			{ status: 'answered' },
			[],
			null,
			'yes',
		]) {
			const response = await postJson(url, body);
			expect([body, response.status >= 400]).toEqual([body, true]);
			expect(execution.isWaiting).toBe(true);
		}
		const run = await goneOnWith({ choice: 'decline' });
		expect(run.itemsOf('After')[0]?.json['data']).toMatchObject({ approved: false });
	});
});
