import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MessagePriority, NtfyClient } from 'ntfy';
import { newest } from '../support/send.ts';
import { type Reached, startForSenders } from './start.ts';

describe('the ntfy client from npm', () => {
	let reached: Reached;
	let client: NtfyClient;
	beforeAll(async () => {
		reached = await startForSenders();
		const { host, key } = reached;
		client = new NtfyClient({ server: `http://${host}/ntfy/`, authorization: key });
	});
	afterAll(() => reached.server.close());

	it('reaches the phone with a bearer token', async () => {
		const { topic, message } = await client.publish({
			topic: 'ops',
			title: 'Backup',
			message: 'Größe ✓',
			priority: MessagePriority.LOW,
			tags: ['disk'],
			actions: [{ type: 'view', label: 'Open', url: 'https://example.com' }],
		} as any);
		expect({ topic, message }).toEqual({ topic: 'ops', message: 'Größe ✓' });
		expect((await newest(reached.server)).push).toMatchObject({
			title: 'Backup',
			message: 'Größe ✓',
			interruption_level: 'passive',
			tags: ['disk'],
			actions: [{ title: 'Open', type: 'open_url', url: 'https://example.com' }],
		});
	});

	it('fails for a topic that is no channel', async () => {
		await expect(client.publish({ topic: 'nowhere', message: 'x' })).rejects.toThrow();
	});
});
