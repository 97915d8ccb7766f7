import type { PairRequest, PairResponse } from '../../src/contract/device.ts';
import {
	type DeviceClient,
	deviceClient,
	pair,
	type SendRequest,
} from '../device/device-client.ts';

/** Reaches the server from which this page or its worker came. */
const reachWith =
	(token?: string): SendRequest =>
	(path, init) => {
		const authorization = token !== undefined && { authorization: `Bearer ${token}` };
		const headers = { ...authorization, ...(init.headers as Record<string, string>) };
		return fetch(`/device${path}`, { ...init, headers, cache: 'no-store' });
	};

/** The calls of the phone with this token. */
export const pageClient = (token: string): DeviceClient => deviceClient(reachWith(token));

/** Exchanges a pairing code for a token. */
export const pairPage = (request: PairRequest): Promise<PairResponse> => pair(reachWith(), request);
