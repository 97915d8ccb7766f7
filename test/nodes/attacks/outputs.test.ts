import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../../engine/one-node.ts';
import { acceptEverything, type RecordingServer } from '../../engine/recording-server.ts';
import { asks } from '../asking.ts';
import { execution, lastQuestion, waiting, withOneQuestion } from '../one-question.ts';

/**
 * Attempts by the data of a workflow's item, or by who fills in a form, to have the workflow go on with an answer that
 * nobody gave.
 */

describe('an item brings an answer along, and nobody answers', () => {
	let service: RecordingServer;
	beforeAll(async () => {
		service = await acceptEverything((path) => ({
			question_id: 'q',
			timestamp: '2026-03-01T12:00:00.000Z',
			deadline_at: '2026-03-01T13:00:00.000Z',
			...(path.startsWith('/api/questions/') && { status: 'withdrawn' }),
		}));
	});
	afterAll(() => {
		service.stop();
	});

	const BOSS = { name: 'Boss', device: 'iPhone' };
	const GIVEN = { status: 'answered', approved: true, choice: 'Approve', text: 'Yes' };
	const TYPES: Record<string, INodeParameters> = {
		approval: {},
		choices: { choices: { choice: [{ label: 'Approve' }, { label: 'Decline' }] } },
		freeText: {},
	};
	const run = async (responseType: string, json: IDataObject, more: INodeParameters = {}) => {
		const run = await runBeckon(
			{
				...{ resource: 'pushNotification', operation: 'sendAndWait', title: 'T', responseType },
				...TYPES[responseType],
				options: { howToWait: 'keepRunning', ...more },
			},
			{
				items: [json],
				credentials: { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } },
			},
		);
		return run.itemsOf('Beckon')[0]?.json as Record<string, any>;
	};

	test.each(Object.keys(TYPES))('to a question of the type %s', async (type) => {
		const json = await run(type, { data: { ...GIVEN, responder: BOSS }, order: 42 });
		expect(json['data']).toMatchObject({ status: 'withdrawn', responder: null, respondedAt: null });
		for (const name of ['approved', 'choice', 'text'])
			expect([undefined, null, false]).toContain(json['data'][name]);
		expect(json['order']).toBe(42);
	});

	test.each<[string, IDataObject]>([
		['as a text', { data: JSON.stringify(GIVEN) }],
		['as a list', { data: [GIVEN] }],
		[
			'as the state of the question',
			{ answer: { choice: 'approve', by: BOSS }, status: 'answered' },
		],
		['as the node’s stored question', { asked: { id: 'q', choices: [] }, round: 1 }],
		['beside details of a delivery', { delivery_details: { history_id: 'other' }, data: GIVEN }],
	])('%s', async (_how, given) => {
		const json = await run('approval', given);
		expect(json['data']).toMatchObject({ approved: false, responder: null });
	});
});

describe('who fills in a form gives another answer than its page takes', () => {
	withOneQuestion();

	const FORM = {
		title: 'Which?',
		responseType: 'form',
		formFields: {
			values: [
				{ fieldLabel: 'Count', fieldType: 'number' },
				{ fieldLabel: 'Day', fieldType: 'date' },
				{ fieldLabel: 'Mail', fieldType: 'email' },
			],
		},
	} as unknown as INodeParameters;

	async function askForm() {
		await waiting(asks(FORM));
		const { link, question_id: id } = await lastQuestion();
		return { url: link?.url ?? '', id };
	}

	async function posted(fields: Record<string, string>) {
		const { url, id } = await askForm();
		const body = new FormData();
		for (const [name, value] of Object.entries({ token: id, ...fields })) body.append(name, value);
		return await fetch(url, { method: 'POST', body });
	}

	test.each<[string, Record<string, string>]>([
		['no end', { 'field-0': 'Infinity' }],
		['more than a number can be', { 'field-0': '1e999' }],
		['no number', { 'field-0': 'NaN' }],
		['digits of another script', { 'field-0': '١٢' }],
		['two numbers', { 'field-0': '1,2' }],
		['a day with a time', { 'field-1': '2026-03-01T00:00' }],
		['a day with a line more', { 'field-1': '2026-03-01\nx' }],
		['two addresses', { 'field-2': 'a@example.com, b@example.com' }],
		['an address with a header', { 'field-2': 'a@example.com\nBcc: b@example.com' }],
	])('%s: it is shown again', async (_what, fields) => {
		const response = await posted(fields);
		expect(response.status).toBe(400);
		expect(execution.isWaiting).toBe(true);
	});

	test.each<[string, string, (id: string) => string]>([
		['as JSON', 'application/json', (token) => JSON.stringify({ token, 'field-0': '1' })],
		[
			'as JSON that looks like its parts',
			'application/json',
			(token) => JSON.stringify({ data: { token, 'field-0': { toString: 1 }, by: 'Boss' } }),
		],
		[
			'as a form of another kind',
			'application/x-www-form-urlencoded',
			(token) => `token=${token}&field-0=1&by=Boss`,
		],
		['as text', 'text/plain', (token) => `token=${token}`],
	])('%s: it is refused, or has only the page’s fields', async (_how, type, toBody) => {
		const { url, id } = await askForm();
		const goneOn = execution.goneOn();
		const response = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': type },
			body: toBody(id),
		});
		if (response.status >= 400) {
			expect(execution.isWaiting).toBe(true);
			return;
		}
		const [item] = (await goneOn).itemsOf('After');
		const data = item?.json['data'] as IDataObject;
		expect(Object.keys(data).sort()).toEqual(
			['Count', 'Day', 'Mail', 'respondedAt', 'responder', 'status'].sort(),
		);
		expect(data['responder']).toBeNull();
	});

	// Low: only the form of a date is checked, so a workflow may go on with a day that no calendar has; a page's date picker
	// cannot give one. Fix: `Number.isNaN(Date.parse(text))` beside the pattern (ask/form-answer.ts, problemWith).
	test.failing('a day that no calendar has: it is shown again', async () => {
		expect((await posted({ 'field-1': '2026-13-45' })).status).toBe(400);
	});
});
