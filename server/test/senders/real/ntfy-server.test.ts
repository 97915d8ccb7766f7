import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../support/free-port.ts';
import { waitFor } from '../../support/wait.ts';
import type { TestServer } from '../../support/server.ts';
import { newest, startWithKey } from '../support/send.ts';
import { debianNtfy } from './debian-ntfy.ts';

interface Request {
	method?: string;
	/** After the address of the server. */
	path?: string;
	headers?: Record<string, string>;
	body?: string | Buffer;
}

/** An action as both describe it. */
interface Action {
	label: string;
	url: string;
	method?: string;
}

const VIEW = { action: 'view', label: 'Open', url: 'https://example.com/run' };
const HTTP = { action: 'http', label: 'Retry', url: 'https://example.com/retry', method: 'POST' };
const json = (message: object): Request => ({ path: '', body: JSON.stringify(message) });
const withHeaders = (headers: Record<string, string>): Request => ({ headers, body: '91 %' });

/** Requests that Beckon answers as ntfy does, and shows as ntfy would. */
const ALIKE: Record<string, Request> = {
	'a text': { body: 'Backup done' },
	'a text by PUT': { method: 'PUT', body: 'Backup done' },
	'a text with spaces and lines': { body: '  one\n\ntwo  ' },
	'an empty body': {},
	'JSON to a topic, which is text': {
		headers: { 'content-type': 'application/json' },
		body: '{"message":"x"}',
	},
	'a title': withHeaders({ Title: 'Disk full' }),
	'a title in UTF-8, as bytes': withHeaders({ Title: Buffer.from('Größe').toString('latin1') }),
	'a title in an encoded word': withHeaders({ Title: '=?UTF-8?B?R3LDtsOfZQ==?=' }),
	'a title in a quoted encoded word': withHeaders({ Title: '=?utf-8?q?Gr=C3=B6=C3=9Fe_1?=' }),
	'a message in a header': { headers: { Message: 'one\\ntwo' } },
	...Object.fromEntries(
		['min', 'low', 'default', 'high', 'max', 'urgent', '1', '2', '3', '4', '5'].map((priority) => [
			`priority ${priority}`,
			withHeaders({ Priority: priority }),
		]),
	),
	'X-Priority': withHeaders({ 'X-Priority': '4' }),
	tags: withHeaders({ Tags: 'disk,raid' }),
	'tags with spaces, one of which is an emoji': withHeaders({ Tags: 'warning, disk' }),
	'a link': withHeaders({ Click: 'https://example.com/run' }),
	'an icon': withHeaders({ Icon: 'https://example.com/icon.png' }),
	'a picture': withHeaders({ Attach: 'https://example.com/graph.png' }),
	'a picture with a name': withHeaders({
		Attach: 'https://example.com/graph.png',
		Filename: 'load.png',
	}),
	Markdown: withHeaders({ Markdown: 'yes' }),
	'Markdown by its type': withHeaders({ 'Content-Type': 'text/markdown' }),
	'an action': withHeaders({ Actions: 'view, Open, https://example.com/run' }),
	'actions with named parts': withHeaders({
		Actions:
			'action=http, label="Retry, now", url=https://example.com/retry, method=POST; view, Open, https://example.com/run, clear=true',
	}),
	'actions in JSON': withHeaders({ Actions: JSON.stringify([VIEW, HTTP]) }),
	'an action by GET': withHeaders({
		Actions: 'http, Ping, https://example.com/ping, method=GET',
	}),
	'a query': { path: 'ops?title=Disk+full&priority=high&tags=disk', body: '91 %' },
	'short names': { path: 'ops?t=Disk+full&p=4&ta=disk', body: '91 %' },
	'a GET': { method: 'GET', path: 'ops/publish?message=Done&title=Backup&priority=2' },
	'a GET to /send': { method: 'GET', path: 'ops/send?m=Done' },
	'a GET to /trigger': { method: 'GET', path: 'ops/trigger' },
	'a message in JSON': json({ topic: 'ops', message: 'Done', title: 'Backup', priority: 4 }),
	'all in JSON': json({
		topic: 'ops',
		message: '91 %',
		tags: ['disk'],
		click: 'https://example.com/run',
		actions: [VIEW, HTTP],
		icon: 'https://example.com/icon.png',
		markdown: true,
	}),
	'a name of another server': withHeaders({ TTL: '5', 'X-Expires': '5', Expires: '5' }),
};

/** What one of both refuses. Beckon prefers a push with a detail less to none. */
const UNLIKE: Record<string, { request: Request; ntfy: number; beckon: number }> = {
	'a priority that is none': { request: withHeaders({ Priority: '9' }), ntfy: 400, beckon: 200 },
	'a body in Latin-1, which ntfy takes for a file': {
		request: { body: Buffer.from('Größe', 'latin1') },
		ntfy: 400,
		beckon: 200,
	},
	'a delay': { request: withHeaders({ Delay: '30m' }), ntfy: 200, beckon: 400 },
	'a template': { request: { path: 'ops?template=yes', body: '{}' }, ntfy: 200, beckon: 400 },
	'JSON that is none': { request: { path: '', body: '{' }, ntfy: 400, beckon: 400 },
	'JSON without a topic': { request: json({ message: 'x' }), ntfy: 400, beckon: 400 },
};

const LEVELS = ['passive', 'passive', 'active', 'time-sensitive', 'time-sensitive'];

const program = await debianNtfy();

(program === undefined ? describe.skip : describe)('a request to ntfy and to Beckon', () => {
	let server: TestServer;
	let key: string;
	let ours: string;
	let ntfy: ChildProcess;
	let theirs: string;
	let log = '';
	beforeAll(async () => {
		({ server, key } = await startWithKey());
		ours = await server.app.listen({ host: '127.0.0.1', port: 0 });
		theirs = `http://127.0.0.1:${await freePort()}`;
		const { host } = new URL(theirs);
		const address = ['--listen-http', host, '--base-url', theirs];
		const options = ['--config=/dev/null', '--visitor-request-limit-burst=1000', ...address];
		ntfy = spawn(program!, ['serve', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
		for (const output of [ntfy.stdout, ntfy.stderr])
			output?.setEncoding('utf8').on('data', (text: string) => (log += text));
		const isReady = () => fetch(`${theirs}/v1/health`).then((answer) => answer.ok);
		await waitFor('ntfy to be ready', () => isReady().catch(() => false)).catch(
			(error: unknown) => {
				throw new Error(`ntfy did not start: ${log}`, { cause: error });
			},
		);
	});
	afterAll(async () => {
		const ended = once(ntfy, 'exit');
		ntfy.kill();
		await ended;
		await server.close();
	});

	async function send(base: string, { method = 'POST', path = 'ops', headers, body }: Request) {
		const answer = await fetch(`${base}/${path}`, {
			method,
			headers: { authorization: `Bearer ${key}`, ...headers },
			...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
		});
		return { status: answer.status, body: (await answer.json()) as Record<string, any> };
	}
	const toNtfy = ({ headers, ...request }: Request) =>
		send(theirs, { ...request, headers: { ...headers, authorization: '' } });
	const toBeckon = (request: Request) => send(`${ours}/ntfy`, request);

	/** Without what differs each time, and what only ntfy knows: until when its cache has the message. */
	function shapeOf({ id, time, expires: _expires, actions: _actions, ...shape }: any) {
		expect([id, time]).toEqual([expect.stringMatching(/^[\w-]{12}$/), expect.any(Number)]);
		return shape;
	}

	it.each(Object.entries(ALIKE))('is answered and shown alike: %s', async (_name, request) => {
		const [ntfys, beckons] = [await toNtfy(request), await toBeckon(request)];
		expect([ntfys.status, beckons.status]).toEqual([200, 200]);
		expect(shapeOf(beckons.body)).toEqual(shapeOf(ntfys.body));
		const { title, message, priority = 3, tags, click, icon, actions } = ntfys.body;
		const { push } = await newest(server);
		expect(push.title).toMatch(new RegExp(`${title ?? 'ops'}$`));
		expect(push).toMatchObject({ message, interruption_level: LEVELS[priority - 1] });
		expect([push.tags, push.redirection, push.icon]).toEqual([tags, click, icon]);
		const labels = (list: Action[] = []) => list.map(({ label, url }) => [label, url]);
		const shown = push.actions?.map(({ title: label, url = expect.anything() }: any) => ({
			label,
			url,
		}));
		expect(labels(shown)).toEqual(labels(actions));
	});

	it.each(Object.entries(UNLIKE))(
		'is refused by one or both: %s',
		async (_name, { request, ...statuses }) => {
			const [ntfys, beckons] = [await toNtfy(request), await toBeckon(request)];
			expect({ ntfy: ntfys.status, beckon: beckons.status }).toEqual(statuses);
			for (const { status, body } of [ntfys, beckons].filter((answer) => answer.status !== 200))
				expect(body).toMatchObject({
					code: expect.any(Number),
					http: status,
					error: expect.any(String),
				});
		},
	);
});
