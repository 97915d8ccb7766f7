import { writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import path from 'node:path';

import { certificate } from '../../server/test/gateways/support/certificate.ts';
import { Installed } from './beckon.ts';
import { StandIn, listening, portOf } from './stand-in.ts';

/** What the proxy was asked for, such as `CONNECT 127.0.0.1:8443`. */
const proxied: string[] = [];

/** The status by which the proxy refuses, or 200. */
let status = 200;

/** A company's proxy: tunnels, and forwards requests without TLS. */
const proxy: Server = createServer((incoming, outgoing) => {
	proxied.push(`${incoming.method} ${incoming.url}`);
	const { method, headers } = incoming;
	const forwarded = request(incoming.url ?? '', { method, headers }, (answer) => {
		outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
		answer.pipe(outgoing);
	});
	incoming.pipe(forwarded);
});
proxy.on('connect', ({ url }, socket, head) => {
	proxied.push(`CONNECT ${url}`);
	if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
	const [host, port] = (url ?? '').split(':');
	const upstream = connect(Number(port), host, () => {
		socket.write('HTTP/1.1 200 Connected\r\n\r\n');
		upstream.write(head);
		upstream.pipe(socket).pipe(upstream);
	});
	for (const end of [socket, upstream]) end.on('error', () => end.destroy());
});

const authority = certificate('A company');
const issuer = { name: 'A company', key: authority.key };
const signed = certificate('beckon', issuer);
const pem = (key: typeof signed.key) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

let beckon: Installed;
let secure: StandIn;
let plain: StandIn;
let through: string;
let ca: string;
let node20: string;

beforeAll(async () => {
	beckon = await Installed.link();
	secure = await StandIn.start({ key: pem(signed.key), cert: signed.cert });
	plain = await StandIn.start();
	await listening(proxy);
	through = `127.0.0.1:${portOf(proxy)}`;
	ca = path.join(beckon.folder, 'ca.pem');
	await writeFile(ca, authority.cert);
	node20 = await beckon.findNode20();
});

beforeEach(() => {
	proxied.length = 0;
	status = 200;
	secure.reset();
	plain.reset();
});

afterAll(async () => {
	await Promise.all([secure.stop(), plain.stop(), new Promise((end) => proxy.close(end))]);
	await beckon.remove();
});

describe.each([
	['the newest Node.js', () => path.dirname(process.execPath)],
	['Node 20', () => node20],
])('on %s', (_version, folder) => {
	const push = async (env: Record<string, string>, words = 'beckon push Title') =>
		await beckon.run(words, { env: { PATH: folder(), ...env } });

	it('reaches a server whose authority is private, by --ca', async () => {
		const sent = await push(secure.env, `beckon push Title --ca ${ca}`);
		expect(sent).toMatchObject({ code: 0, stdout: 'sent, on 1 phone\n', stderr: '' });
		expect(await push({ ...secure.env, NODE_EXTRA_CA_CERTS: ca })).toMatchObject({ code: 0 });
	});

	it('says what to do about an authority that it does not know', async () => {
		const { code, stderr } = await push(secure.env);
		expect(code).toBe(1);
		expect(stderr).toMatch(/^beckon: Cannot reach \S+: this machine does not trust the authority/);
		expect(stderr).toContain('--ca FILE');
	});

	it('reaches it through a proxy, and has the proxy forward what has no TLS', async () => {
		const env = { ...secure.env, HTTPS_PROXY: through, NODE_EXTRA_CA_CERTS: ca };
		expect(await push(env)).toMatchObject({ code: 0, stderr: '' });
		expect(proxied).toEqual([`CONNECT ${new URL(secure.url).host}`]);
		const named = `http://${through}`;
		expect(
			await push({ ...secure.env, https_proxy: named }, `beckon --ca ${ca} push T`),
		).toMatchObject({ code: 0 });
		proxied.length = 0;
		expect(await push({ ...plain.env, HTTP_PROXY: named })).toMatchObject({ code: 0 });
		expect(proxied).toEqual([`POST ${plain.url}/api/push-notification`]);
	});

	it('goes past the proxy where NO_PROXY says so', async () => {
		const env = { ...plain.env, HTTP_PROXY: `http://${through}`, NO_PROXY: 'localhost,127.0.0.1' };
		expect(await push(env)).toMatchObject({ code: 0 });
		expect(proxied).toEqual([]);
	});

	it('says it if the proxy is away, refuses, or has no usable address', async () => {
		const dead = await push({ ...plain.env, HTTP_PROXY: 'http://127.0.0.1:9' });
		expect(dead.stderr).toMatch(/^beckon: Cannot reach the proxy 127\.0\.0\.1:9: nothing listens/);
		const env = { ...secure.env, HTTPS_PROXY: through, NODE_EXTRA_CA_CERTS: ca };
		status = 407;
		expect((await push(env)).stderr).toContain('the proxy wants a name and a password');
		status = 403;
		expect((await push(env)).stderr).toContain('the proxy refuses (HTTP 403)');
		const none = await push({ ...plain.env, HTTP_PROXY: 'http://' });
		expect(none.stderr).toContain('HTTP_PROXY is no address like http://proxy.example.com:3128');
	});

	it('tells TLS and its lack apart', async () => {
		const { port } = new URL(plain.url);
		const { stderr } = await push({ ...plain.env, BECKON_URL: `https://127.0.0.1:${port}` });
		expect(stderr).toContain('it does not speak TLS. Its address may begin with http:// instead.');
	});

	it.each<[what: string, limits: Parameters<typeof certificate>[2], reason: string]>([
		['has expired', { days: [-3, -2] }, 'is not valid today. Renew it, or set the clock.'],
		['is not valid yet', { days: [2, 3] }, 'is not valid today. Renew it, or set the clock.'],
		[
			'is for another',
			{ address: [192, 0, 2, 1] },
			'is for another name. Use a name that is in it.',
		],
	])('says it of a certificate that %s', async (_what, limits, reason) => {
		const { key, cert } = certificate('beckon', issuer, limits);
		const server = await StandIn.start({ key: pem(key), cert });
		const { url } = server;
		const { code, stderr } = await push(server.env, `beckon push Title --ca ${ca}`);
		await server.stop();
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: `beckon: Cannot reach ${url}/api: its certificate ${reason}\n`,
		});
	});

	it('says it of a server that speaks no HTTP, and of a name that nobody has', async () => {
		const other = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
		await listening(other);
		const url = `http://127.0.0.1:${portOf(other)}`;
		const { stderr } = await push({ ...plain.env, BECKON_URL: url });
		other.close();
		expect(stderr).toContain(
			'it does not speak HTTP. Its address may begin with https:// instead.',
		);
		// RFC 6761 keeps this name free; a machine without a name server cannot look it up.
		const unknown = await push({ ...plain.env, BECKON_URL: 'http://beckon.invalid' });
		expect(unknown.stderr).toMatch(
			/ its name (is unknown|cannot be looked up)\. Check the \w+\.\n$/,
		);
	});
});
