import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';

const WORDS = 'Nothing opened? You may not have an app for “bakery-oven:” links.';

describe('a link of a scheme that no app on this phone opens', () => {
	let bench: Bench;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		await bench.pair();
		await bench.api.push({
			title: 'The oven is hot',
			redirection: 'bakery-oven://7',
			actions: [{ title: 'Open the oven', type: 'open_url', url: 'https://example.com/oven' }],
		});
		await bench.phone.notification('The oven is hot').waitFor();
	});

	afterAll(() => bench?.close());

	const words = () => bench.phone.page.getByRole('status').getByText(WORDS);

	it('says so when it is tapped', async () => {
		await bench.phone.page.getByRole('link', { name: /The oven is hot/ }).click();
		await words().waitFor();
	});

	it('no longer says so once an app has come to the front', async () => {
		await bench.phone.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
		await words().waitFor({ state: 'detached' });
	});

	it('says so in the history too, and only there', async () => {
		// In a new tab: Chromium's prompt to open the link blocks every click in the first.
		const page = await bench.opened.context.newPage();
		await page.goto(`${bench.server.url}/phone?show=history`);
		const history = page.getByRole('region', { name: 'History' });
		await history.getByRole('link', { name: /The oven is hot/ }).click();
		await history.getByText(WORDS).waitFor();
		expect(await page.getByText(WORDS).count()).toBe(1);
	});
});
