import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Visit } from './support/browser.ts';
import type { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, startConsoleWorld } from './support/console-world.ts';

jest.setTimeout(40_000);

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
	await world.enter();
}, 90_000);

afterAll(() => world?.close());

const steps = () => owner.page.getByRole('region', { name: 'First steps' });
const done = (words: string) =>
	steps()
		.getByRole('listitem')
		.filter({ hasText: `${words} (done)` });

it('tells the first steps, and ticks each as it is done', async () => {
	// The demo's phone is paired, its notifications are off, and nothing was sent.
	await steps().getByText('1 of 4 done').waitFor();
	await done('Open Beckon on a phone').waitFor();
	for (const colorScheme of ['light', 'dark'] as const) {
		await owner.page.emulateMedia({ colorScheme });
		expect(await app.findings()).toEqual([]);
		await app.screenshot(`console-first-steps-${colorScheme}`);
	}
	await steps().getByRole('link', { name: 'Open the Playground' }).click();
	await app.button('Send').click();
	await owner.page.getByText('"success": true').waitFor();
	await app.open('Live now');
	await done('Send your first push').waitFor();
	await world.api.push({ title: 'From a workflow' });
	await done('Send from a workflow').waitFor();
	await steps().getByText('3 of 4 done').waitFor();
});

it('says how programs other than n8n send', async () => {
	await steps()
		.getByRole('link', { name: /Send from ntfy, gotify/ })
		.click();
	await app.dialog().getByText('New API key').waitFor();
	expect(await app.dialog().getByLabel('For another program').isChecked()).toBe(true);
	await owner.page.keyboard.press('Escape');
	await app.dialog().waitFor({ state: 'detached' });
});

it('stays away once hidden', async () => {
	await app.open('Live now');
	await app.button('Hide these steps').click();
	await steps().waitFor({ state: 'detached' });
	await owner.page.reload();
	await app.heading('Live now').waitFor();
	await owner.page.getByText('Nothing is running').waitFor();
	expect(await steps().count()).toBe(0);
});

it.each([
	['Channels', 'ops', 'Create the first channel', 'New channel'],
	['Metrics', 'Revenue today', 'Create the first metric', 'New metric'],
])('%s has the button that fills it, where it is empty', async (page, _first, words, title) => {
	await app.open(page);
	const remove = owner.page.getByRole('button', { name: /^Delete/ });
	await remove.first().waitFor();
	for (let left = await remove.count(); left > 0; left -= 1) {
		await remove.first().click();
		await app.dialog().getByRole('button', { name: 'Delete' }).click();
		await app.dialog().waitFor({ state: 'detached' });
	}
	await app.button(words).click();
	await app.dialog().getByText(title).waitFor();
	await owner.page.keyboard.press('Escape');
});
