import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { App } from '../../src/http/app.ts';
import { byCommands } from './by-commands.ts';
import { LeftOut } from './left-out.ts';
import type { Prepared } from './prepared.ts';
import { type ServerProcess, startProcess } from './process.ts';
import { type Access, reach, type TestServer, type TestServerOptions } from './reach.ts';
import { within } from './wait.ts';
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function leaveOut(needs: string): never {
	throw new LeftOut(needs);
}

/**
 * The packed program as a separate process, reached over TCP and prepared by its own commands. A test
 * that needs something only the source offers is left out.
 */
export async function startPackedServer(
	{ main, data: template, first }: Prepared,
	{ settings = {}, gateway, directory, beside, onError }: TestServerOptions,
): Promise<TestServer> {
	if (gateway) leaveOut('a gateway that it steers');
	if (directory ?? beside) leaveOut('a second server on one store');
	if (onError) leaveOut('what goes wrong in the background');
	const data = mkdtempSync(join(tmpdir(), 'beckon-dist-'));
	cpSync(template, data, { recursive: true });
	let server: ServerProcess | undefined;
	const stop = async () => {
		server?.signal('SIGTERM');
		const ended = server && (await within('the program to stop', server.finished));
		rmSync(data, { recursive: true });
		if (ended?.code) throw new Error(`The program exited with ${ended.code}: ${ended.stderr}`);
	};
	let stopped: Promise<void> | undefined;
	const close = () => (stopped ??= stop());
	try {
		server = await startProcess(data, {
			main,
			settings: { BECKON_FIRST_ATTEMPT_MS: '200', ...settings },
		});
		const access = { inject: injectInto(server.url), ...byCommands(data) };
		return {
			...(await reach(access, first)),
			settings,
			app: appAt(server.url, access.inject, close),
			get clock() {
				return leaveOut('a clock that it moves');
			},
			timestamp: () => expect.stringMatching(TIMESTAMP),
			get context() {
				return leaveOut('the store and the service');
			},
			get store() {
				return leaveOut('the store and the service');
			},
			close,
		};
	} catch (error) {
		server?.signal('SIGKILL');
		throw error;
	}
}

/** The parts of a listening app that tests use. */
function appAt(url: string, inject: Access['inject'], close: () => Promise<void>): App {
	const address = () => ({ address: '127.0.0.1', family: 'IPv4', port: Number(new URL(url).port) });
	const listening = onlyParts({ address });
	return onlyParts({ inject, listen: async () => url, close, server: listening }) as unknown as App;
}

/** Leaves the test out that asks for more. */
function onlyParts<T extends object>(parts: T): T {
	return new Proxy(parts, {
		get: (target, name): unknown =>
			Reflect.get(target, name) ?? leaveOut('a part of the app itself'),
	});
}

/** Sends a test's injected request over TCP, with the path unchanged. */
function injectInto(base: string): Access['inject'] {
	return async ({ method = 'GET', url, headers, payload, remoteAddress }: InjectOptions) => {
		if (remoteAddress !== undefined) leaveOut('the address of a client');
		const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
		const body = payload === undefined || isText ? payload : JSON.stringify(payload);
		const { hostname, port } = new URL(base);
		const response = await new Promise<IncomingMessage>((resolve, reject) => {
			const sent = request({
				...{ hostname, port, method, path: (url as string).replaceAll(' ', '%20'), agent: false },
				headers: {
					...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
					...(body !== undefined && !isText && { 'content-type': 'application/json' }),
					...(headers as Record<string, string>),
				},
			});
			// As bytes: with a text, Node.js would encode the headers like the text.
			const bytes = typeof body === 'string' ? Buffer.from(body) : body;
			sent.on('response', resolve).on('error', reject).end(bytes);
		});
		const answer = await buffer(response);
		const text = answer.toString();
		return {
			statusCode: response.statusCode,
			headers: response.headers,
			rawPayload: answer,
			payload: text,
			body: text,
			json: () => JSON.parse(text) as unknown,
			cookies: (response.headers['set-cookie'] ?? []).map(readCookie),
		} as unknown as LightMyRequestResponse;
	};
}

/** With the attributes that tests read, named as in light-my-request. */
function readCookie(line: string) {
	const [pair = '', ...attributes] = line.split('; ');
	const [name, value] = pair.split(/=(.*)/s);
	const given = new URLSearchParams(attributes.join('&'));
	return {
		name,
		value,
		path: given.get('Path'),
		httpOnly: given.has('HttpOnly'),
		secure: given.has('Secure'),
		sameSite: given.get('SameSite'),
	};
}
