import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../../../engine/one-node.ts';
import { acceptEverything, type RecordingServer } from '../../../engine/recording-server.ts';

/** A service that accepts everything, for the tests of a file. @returns what runs the node */
export function sendingToService() {
	let service: RecordingServer;
	beforeAll(async () => {
		service = await acceptEverything((path) => ({
			activity_id: 'a',
			...(path.startsWith('/api/questions/') && { status: 'withdrawn' }),
		}));
	});
	afterAll(() => {
		service.stop();
	});

	/** Runs the node. @returns the requests that change something, and the error */
	return async (parameters: INodeParameters, json: unknown = {}) => {
		service.requests.length = 0;
		const credentials = { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } };
		const { error } = await runBeckon(parameters, {
			items: [json as IDataObject],
			credentials,
		}).catch((cause: unknown) => ({ error: cause as Error }));
		return { requests: service.requests.filter(({ method }) => method !== 'GET'), error };
	};
}
