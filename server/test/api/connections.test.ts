import { type AddressInfo, connect, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { boundConnections, maxConnections } from '../../src/http/connections.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { loggedApp } from '../support/logged-app.ts';
import { waitFor } from '../support/wait.ts';

describe('the bound on connections', () => {
	let app: FastifyInstance;
	let lines: string[];
	let sockets: Socket[];
	beforeEach(() => {
		leaveOutOfPacked('an app of its own');
		sockets = [];
		({ app, lines } = loggedApp());
	});
	afterEach(async () => {
		for (const socket of sockets) socket.destroy();
		await app.close();
	});

	async function open(count: number): Promise<void> {
		const { port } = app.server.address() as AddressInfo;
		for (let n = 0; n < count; n += 1) {
			const socket = connect(port, '127.0.0.1').on('error', () => undefined);
			sockets.push(socket);
			await new Promise((resolve) => socket.once('connect', resolve));
		}
	}
	const left = () => sockets.filter(({ closed }) => !closed).length;

	it('leaves one client address half of them, and says so in the log', async () => {
		boundConnections(app, undefined, 8);
		await app.listen({ host: '127.0.0.1', port: 0 });
		await open(6);
		await waitFor('the rest to be refused', () => left() === 4);
		expect(lines.map((line) => JSON.parse(line))).toMatchObject([
			{ msg: 'connections are refused: too many are open', most: 8 },
		]);
		sockets[0]!.destroy();
		await waitFor('room', async () => {
			await open(1);
			return !sockets.at(-1)!.closed && left() === 4;
		});
	});

	it('counts the addresses of one /64 network as one, like the rate limits', async () => {
		boundConnections(app, undefined, 4);
		await app.listen({ host: '127.0.0.1', port: 0 });
		const from = (remoteAddress: string) => {
			const socket = Object.defineProperty(new Socket(), 'remoteAddress', {
				value: remoteAddress,
			});
			sockets.push(socket);
			app.server.emit('connection', socket);
			return socket.destroyed;
		};
		expect(['2001:db8::1', '2001:db8::2', '2001:db8::3'].map(from)).toEqual([false, false, true]);
		expect(from('2001:db8:0:1::1')).toBe(false);
	});

	it('leaves a trusted proxy all of them, and no more', async () => {
		boundConnections(app, (address) => address === '127.0.0.1', 8);
		await app.listen({ host: '127.0.0.1', port: 0 });
		await open(10);
		await waitFor('the rest to be refused', () => left() === 8);
		expect(lines).toHaveLength(1);
	});

	it.each([
		[1_048_576, 20_000],
		[1_024, 768],
		[256, 128],
	])('suits %i open files', (files, most) => {
		expect(maxConnections(files)).toBe(most);
	});
});
