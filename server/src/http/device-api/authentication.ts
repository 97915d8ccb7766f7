import type { FastifyRequest } from 'fastify';
import { announceChange } from '../../service/console/changes.ts';
import type { Context } from '../../service/context.ts';
import { deviceOfToken, type Phone } from '../../service/devices.ts';
import { Refusal } from '../../service/refusal.ts';
import type { TypedApp } from '../typed-app.ts';
import { bearerToken } from '../bearer.ts';

const devices = new WeakMap<FastifyRequest, Phone>();

/** The phone that makes this request; only for routes behind `authenticateDevice`. */
export function deviceOf(request: FastifyRequest): Phone {
	const device = devices.get(request);
	if (!device) throw new Error(`The route ${request.url} has no authentication`);
	return device;
}

/** Lets only paired phones to the routes of `app`. */
export function authenticateDevice(app: TypedApp, context: Context): void {
	app.addHook('onRequest', async (request) => {
		const token = bearerToken(request.headers.authorization);
		if (token === undefined) {
			throw new Refusal(
				'unauthorized',
				'Unauthorized',
				'Send the token that pairing returned as Authorization: Bearer <token>.',
			);
		}
		devices.set(request, await deviceOfToken(context, token));
	});
	app.addHook('onResponse', (request, _reply, done) => {
		const device = devices.get(request);
		if (device && request.method !== 'GET') announceChange(context, device.account_id);
		done();
	});
}
