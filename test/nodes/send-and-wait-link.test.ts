import { createHash } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { PAGE_HEADERS, STYLE } from '../../nodes/Beckon/shared/ask/page.ts';
import { TestServer } from '../engine/server.ts';
import { asks, asksInLoop } from './asking.ts';
import {
	execution,
	goneOnWith,
	lastPush,
	lastQuestion,
	phone,
	server,
	waiting,
	withOneQuestion,
} from './one-question.ts';

withOneQuestion();

const ask = async (parameters: INodeParameters) => await waiting(asks(parameters));

const BROWSER = { accept: 'text/html,application/xhtml+xml' };

const url = (round = '1') => execution.resumeUrl('Ask', { round });

const post = async (body: string, headers: Record<string, string> = {}, to = url()) =>
	await fetch(to, {
		method: 'POST',
		body,
		headers: { 'content-type': 'application/json', ...headers },
	});

const APPROVE = JSON.stringify({ status: 'answered', answer: { choice: 'approve' } });

test('opening the address of the callback shows nothing, and lets nothing go on', async () => {
	await ask({ title: 'Deploy?' });

	const response = await fetch(url(), { headers: BROWSER });

	expect([response.status, await response.json()]).toEqual([
		410,
		{ message: 'Only the end of the current question is taken here.' },
	]);
	expect(execution.isWaiting).toBe(true);
});

test("the page's policy allows its own style and form, and nothing else", () => {
	const hash = createHash('sha256').update(STYLE).digest('base64');

	expect(PAGE_HEADERS['Content-Security-Policy']).toBe(
		`default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
	);
});

test.each<[string, () => string]>([
	['no signature', () => url().replace(/signature=.*/, '')],
	['another signature', () => url().replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
	['another question', () => url().replace('round=1', 'round=2')],
	['the address of a form', () => `${url()}&form=1`],
])('a URL with %s is refused', async (_what, changed) => {
	await ask({ title: 'Deploy?' });

	expect((await post(APPROVE, {}, changed())).status).toBe(401);
	expect(execution.isWaiting).toBe(true);
});

test('in a loop a callback of an earlier question does not answer a later one', async () => {
	await waiting(asksInLoop({ title: '=Item {{ $json.n }}?' }));
	const first = await lastQuestion();
	expect((await goneOnWith({ choice: 'approve' })).status).toBe('waiting');
	expect((await lastPush()).push.title).toBe('Item 2?');

	const old = await phone.answer(first.question_id, { choice: 'decline' });

	expect(old).toMatchObject({ outcome: 'refused', question: { answer: { choice: 'approve' } } });
	expect((await post(APPROVE)).status).toBe(410);
	expect(execution.isWaiting).toBe(true);
	expect((await goneOnWith({ choice: 'approve' })).status).toBe('success');
});

test('a server that may not call n8n is explained', async () => {
	const strict = await TestServer.start();
	const { key: apiKey } = await strict.seedDemo();

	const { status, error } = await waiting(asks({ title: 'Deploy?' }), {
		baseUrl: strict.baseUrl,
		apiKey,
	});
	await strict.stop();

	expect(status).toBe('error');
	expect(error?.description).toContain('BECKON_WEBHOOK_ALLOW_PRIVATE=true');
	expect(error?.description).toContain('How to Wait to Keep Running');
	expect(error?.description).toMatch(/call n8n at http:\/\/127\.0\.0\.1:\d+,/);
	expect(JSON.stringify(error)).not.toContain('signature');
});

test('a wrong key fails the node, or goes on where it is told to', async () => {
	const wrong = { baseUrl: server.baseUrl, apiKey: 'bk_wrong' };
	const failed = await waiting(asks({ title: 'Deploy?' }), wrong);
	expect(failed.status).toBe('error');
	expect(failed.error?.description).toContain('Check the API Key');
	await execution.close();

	const workflow = asks({ title: 'Deploy?' });
	workflow.nodes = workflow.nodes.map((node) => ({
		...node,
		...(node.name === 'Ask' && { onError: 'continueRegularOutput' as const }),
	}));
	const wentOn = await waiting(workflow, wrong);
	expect(wentOn.status).toBe('success');
	expect(wentOn.itemsOf('After')).toMatchObject([
		{ json: { error: expect.any(String) as string }, pairedItem: { item: 0 } },
	]);
});
