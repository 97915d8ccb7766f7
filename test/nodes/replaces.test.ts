import { onlyItem, startBench, type Bench } from './bench.ts';
import { failureOf } from './failure.ts';

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

const send = { resource: 'pushNotification', operation: 'send', title: '={{ $json.title }}' };
const replacing = { ...send, options: { replaces: 'deploy-42' } };

async function shown() {
	const { notifications } = await bench.phone.snapshot();
	return notifications.map(({ push }) => push.title);
}

test('a push replaces the last one with the same name, in the order of the items', async () => {
	onlyItem(await bench.run(send, { items: [{ title: 'By itself' }] }));
	const items = ['Building', 'Testing', 'Deploying', 'Done'].map((title) => ({ title }));
	await bench.run(replacing, { items });
	expect(await shown()).toEqual(['Done', 'By itself']);
});

test('a repeated push replaces, too', async () => {
	const repeat = { values: { everyMinutes: 5, times: 1 } };
	const options = { ...replacing.options, repeat };
	onlyItem(await bench.run({ ...send, options }, { items: [{ title: 'Again' }] }));
	expect(await shown()).toEqual(['Again', 'By itself']);
});

test('a name with other characters is refused before anything is sent', async () => {
	const options = { replaces: 'deploy 42' };
	const { message } = await failureOf(bench, { ...send, title: 'x', options });
	expect(message).toContain('Replaces');
	expect(message).toContain('1 to 64 letters, digits, dashes and underscores');
});
