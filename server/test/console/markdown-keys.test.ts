import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Console, signedIn } from './support/console.ts';

let server: TestServer;
let owner: Console;
beforeEach(async () => {
	server = await startTestServer();
	owner = await signedIn(server);
});
afterEach(() => server.close());

it('a key is made for Markdown, and its pushes say so', async () => {
	const { body: made } = await owner.call('POST', '/keys', { name: 'Reports', markdown: true });
	await owner.call('POST', '/keys', { name: 'Plain' });
	const { body: keys } = await owner.call('GET', '/keys');
	const marked = keys.filter(({ markdown }: { markdown?: true }) => markdown);
	expect(marked).toMatchObject([{ name: 'Reports' }]);
	await server.call(
		'POST',
		'/push-notification',
		{ title: 'T', message: '**b**' },
		{ key: made.key },
	);
	await server.call('POST', '/push-notification', { title: 'T', message: '**b**' });
	const pushes = (await server.phone.snapshot()).notifications.map(
		({ push }: { push: object }) => push,
	);
	expect(pushes[0]).not.toHaveProperty('markdown');
	expect(pushes[1]).toMatchObject({ message: '**b**', markdown: true });
});
