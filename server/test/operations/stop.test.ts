import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import { followEvents } from '../support/events.ts';
import { seed, type ServerProcess, startProcess } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { removeStore } from '../support/store.ts';
import { waitFor, within } from '../support/wait.ts';

const HEAD = 'POST /console/api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

describe('SIGTERM', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	let server: ServerProcess;
	let demo: { key: string; device_token: string };
	let sockets: Socket[];
	const settings = { BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' };

	beforeEach(async () => {
		sockets = [];
		directory = temporaryDirectory();
		demo = await seed(directory.path);
		server = await startProcess(directory.path, { settings });
	});
	afterEach(async () => {
		for (const socket of sockets) socket.destroy();
		server.signal('SIGKILL');
		await server.finished;
		directory.remove();
		await removeStore(directory.path);
	});

	async function expectStop(): Promise<void> {
		server.signal('SIGTERM');
		const { code, stderr } = await within('the end', server.finished);
		expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('"error"') });
	}

	async function send(text: string): Promise<Socket> {
		const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
		// Cut by the server.
		socket.on('error', () => undefined);
		await new Promise((resolve) => socket.once('connect', resolve));
		await new Promise((resolve) => socket.write(text, resolve));
		sockets.push(socket);
		return socket;
	}

	const call = async (path: string, token: string, body?: object) => {
		const answer = await fetch(server.url + path, {
			method: body ? 'POST' : 'GET',
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			...(body && { body: JSON.stringify(body) }),
		});
		return { status: answer.status, body: await answer.json() };
	};

	it('ends the program whatever is connected, and cuts what is not whole at once', async () => {
		const cut = await Promise.all([
			send(''),
			send('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: '),
			send(`${HEAD}Content-Length: 60000\r\n\r\n{`),
			send(`${HEAD}Transfer-Encoding: chunked\r\n\r\nffff\r\n{`),
			send(
				'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nPOST /device/pair HTTP/1.1\r\nHost: x\r\nX-Slow: ',
			),
		]);
		const closed = cut.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
		for (const socket of cut) socket.resume();
		const stream = await followEvents(server.url, demo.device_token);
		// A connection that reads nothing.
		await send(
			`GET /device/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${demo.device_token}\r\n\r\n`,
		);
		// Everything sent so far has arrived.
		await call('/device/inbox', demo.device_token);
		const stopped = expectStop();
		await within('the end of what is not whole', Promise.all(closed));
		await within('the end of the stream', stream.ended);
		expect(stream.events.at(-1)?.event).toBe('bye');
		await stopped;
	});

	describe('while a webhook is under way', () => {
		let receiver: Receiver;
		afterEach(() => receiver.close());

		it('records that the outcome is not known, and never repeats the call', async () => {
			// It never answers.
			receiver = await startReceiver(() => undefined);
			const actions = [{ title: 'Go', type: 'webhook', url: receiver.url, method: 'POST' }];
			await call('/api/push-notification', demo.key, { title: 'A', actions });
			const { deliveries } = (await call('/device/inbox', demo.device_token)).body;
			const tap = { tap_id: randomUUID(), delivery_id: deliveries.at(-1).id, action: 0 };
			const tapped = call('/device/taps', demo.device_token, tap);
			await waitFor('the webhook', () => receiver.received.length === 1);
			await expectStop();
			const notKnown = {
				outcome: 'failed',
				message: expect.stringContaining('its outcome is unknown'),
			};
			expect((await tapped).body).toMatchObject(notKnown);

			server = await startProcess(directory.path, { settings });
			const again = await call('/device/taps', demo.device_token, tap);
			expect(again).toMatchObject({ status: 200, body: notKnown });
			expect(receiver.received).toHaveLength(1);
		});
	});
});
