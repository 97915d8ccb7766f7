import { createHash } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { PAGE_HEADERS, STYLE } from '../../nodes/Beckon/shared/ask/page.ts';
import { TestServer } from '../engine/server.ts';
import { APPROVE_ONLY, asks, asksInLoop } from './asking.ts';
import { execution, key, lastPush, phone, server, waiting } from './one-question.ts';

const ask = async (parameters: INodeParameters) => await waiting(asks(parameters));

const BROWSER = { accept: 'text/html,application/xhtml+xml' };

const url = (round = '1') => execution.resumeUrl('Ask', { round });

const post = async (body: string, headers: Record<string, string> = {}, to = url()) =>
	await fetch(to, {
		method: 'POST',
		body,
		headers: { 'content-type': 'application/json', ...headers },
	});

const APPROVE = JSON.stringify({ choice: 'Approve' });

test('opening the link asks to confirm, and lets nothing go on', async () => {
	await ask({
		title: '<Deploy> & "run"?',
		message: "<script>alert('x')</script>",
		responseType: 'choices',
		choices: { choice: [{ label: '"><b>Yes' }, { label: 'No' }] },
	});

	const response = await fetch(url(), { headers: BROWSER });
	const page = await response.text();

	expect(response.status).toBe(200);
	expect(response.headers.get('content-type')).toContain('text/html');
	expect(response.headers.get('cache-control')).toBe('no-store');
	expect(response.headers.get('referrer-policy')).toBe('no-referrer');
	expect(page).toContain('<h1>&lt;Deploy&gt; &amp; &quot;run&quot;?</h1>');
	expect(page).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;');
	expect(page).toContain('value="&quot;&gt;&lt;b&gt;Yes"');
	expect(page).toContain('<form method="post">');
	expect(page).not.toMatch(/<script|<b>/);
	expect(execution.isWaiting).toBe(true);
});

test("the page's policy allows its own style and form, and nothing else", () => {
	const hash = createHash('sha256').update(STYLE).digest('base64');

	expect(PAGE_HEADERS['Content-Security-Policy']).toBe(
		`default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
	);
});

test('the form of the page answers, without a phone', async () => {
	await ask({ title: 'Deploy?' });
	const goneOn = execution.goneOn();

	const response = await post('choice=Approve', {
		...BROWSER,
		'content-type': 'application/x-www-form-urlencoded',
	});

	expect(await response.text()).toContain('Your answer was recorded');
	expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
	expect((await goneOn).itemsOf('After')).toMatchObject([
		{ json: { data: { approved: true, choice: 'Approve', user: null, device: null } } },
	]);
});

test.each<[string, () => string]>([
	['no signature', () => url().replace(/signature=.*/, '')],
	['another signature', () => url().replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
	['another question', () => url().replace('round=1', 'round=2')],
])('a URL with %s is refused', async (_what, changed) => {
	await ask({ title: 'Deploy?' });

	expect((await post(APPROVE, {}, changed())).status).toBe(401);
	expect(execution.isWaiting).toBe(true);
});

test.each(['{"choice":"Decline"}', '{"choice":7}', '{}', '[]'])(
	'an answer that is not offered is refused: %s',
	async (body) => {
		await ask({ title: 'Deploy?', ...APPROVE_ONLY });

		const response = await post(body);

		expect(response.status).toBe(400);
		expect(await response.json()).toEqual({
			message: 'This question does not offer that answer.',
		});
		expect(execution.isWaiting).toBe(true);
	},
);

test('in a loop a button of an earlier question does not answer a later one', async () => {
	await waiting(asksInLoop({ title: '=Item {{ $json.n }}?' }));
	const first = await lastPush();
	let goneOn = execution.goneOn();
	await phone.tap({ delivery_id: first.id, action: 0 });
	expect((await goneOn).status).toBe('waiting');
	const second = await lastPush();
	expect(second.push.title).toBe('Item 2?');

	const old = await phone.tap({ delivery_id: first.id, action: 0 });

	expect(old).toMatchObject({ outcome: 'refused', answer: { button: 'Approve' } });
	expect((await post(APPROVE)).status).toBe(410);
	expect(execution.isWaiting).toBe(true);
	const opened = await fetch(url('1'), { headers: BROWSER });
	expect(await opened.text()).toContain('This question has already been answered.');
	goneOn = execution.goneOn();
	await phone.tap({ delivery_id: second.id, action: 0 });
	expect((await goneOn).status).toBe('success');
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

test('the workflow goes on when the Live Activity cannot be ended', async () => {
	await ask({
		title: 'Deploy?',
		message: 'Now',
		resource: 'liveActivity',
		streamKey: 'gone-meanwhile',
	});
	await fetch(`${server.baseUrl}/live-activity/stream/gone-meanwhile`, {
		method: 'DELETE',
		headers: { authorization: `Bearer ${key}` },
	});
	const goneOn = execution.goneOn();

	await post(APPROVE);

	expect((await goneOn).status).toBe('success');
});
