import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Visit } from './support/browser.ts';
import type { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, startConsoleWorld } from './support/console-world.ts';

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
	await world.enter();
	await app.open('People');
	await app.button('Add a person').click();
	await app.field('Name').fill('Ada');
	await app.dialog().getByRole('button', { name: 'Add' }).click();
	await app.dialog().waitFor({ state: 'detached' });
	for (let phone = 1; phone <= 5; phone += 1) await world.pair(`Tablet ${phone}`, 'Ada');
});

afterAll(() => world?.close());

afterEach(async () => {
	expect(await app.findings()).toEqual([]);
});

const SIZES = [
	[390, 844],
	[1440, 900],
] as const;

/** Looks at the page on a phone and on a desk. */
async function onEverySize(name: string): Promise<void> {
	for (const [width, height] of SIZES) {
		await owner.page.setViewportSize({ width, height });
		expect(await app.findings()).toEqual([]);
		expect(await app.tooWide()).toEqual([]);
		await app.screenshot(`${name}-${width}`);
	}
}

const entries = async () =>
	(await owner.page.evaluate(async () => (await fetch('/console/api/history')).json())).entries;

describe('the Playground', () => {
	it('starts with the phone of the person who sends', async () => {
		await app.open('Playground');
		await app.button('Send to 1 phone').waitFor();
		await owner.page.locator('form').getByText('Only my phone', { exact: true }).waitFor();
		for (const template of ['Approval', 'Deployment', 'Backup', 'Alert']) {
			await app.button(template).click();
			await app.button('Send to 1 phone').waitFor();
		}
	});

	it('has the number of phones on its button, and asks before it sends to many', async () => {
		await app.field('Channels').focus();
		await owner.page.keyboard.press('Backspace');
		await app.button('Send to 6 phones').click();
		await onEverySize('console-many-phones');
		await app.dialog().getByRole('button', { name: 'Cancel' }).click();
		await app.dialog().waitFor({ state: 'detached' });
		expect(await entries()).toEqual([]);
		await app.field('Title').press('Enter');
		await app.dialog().getByRole('button', { name: 'Send to 6 phones' }).click();
		await owner.page.getByText('Sent to 6 phones').waitFor();
		expect(await entries()).toHaveLength(1);
	});

	it('goes back to the own phone alone', async () => {
		await app.choose('Channels', 'Only my phone');
		await owner.page.keyboard.press('Escape');
		await app.button('Send to 1 phone').click();
		await owner.page.getByText('Sent to 1 phone').waitFor();
	});
});

describe('sending again', () => {
	const open = async (title: string) => {
		await app.open('History');
		await app.arrival(title);
		await app.button(title).first().click();
	};

	it('has the number of phones on its button, and asks before it sends to many', async () => {
		await world.api.push({ title: 'Water in the cellar' });
		const before = (await entries()).length;
		await open('Water in the cellar');
		await app.dialog().getByRole('button', { name: 'Send again to 6 phones' }).click();
		await onEverySize('console-send-again');
		const asking = owner.page.getByRole('dialog', { name: 'Send again to 6 phones?' });
		await asking.getByRole('button', { name: 'Cancel' }).click();
		expect((await entries()).length).toBe(before);
		await app.dialog().getByRole('button', { name: 'Send again to 6 phones' }).click();
		await asking.getByRole('button', { name: 'Send again to 6 phones' }).click();
		await app.dialog().getByText('Sent to the same recipients.').waitFor();
		expect((await entries()).length).toBe(before + 1);
		await owner.page.keyboard.press('Escape');
	});

	it('is not offered for what the server itself has sent', async () => {
		await app.open('Phones');
		await app.card('Demo phone').getByRole('button', { name: 'Send a test push' }).click();
		await app.card('Demo phone').getByRole('status').waitFor();
		await open('It works');
		await app.dialog().getByRole('button', { name: 'Open in Playground' }).waitFor();
		expect(await app.dialog().getByRole('button', { name: 'Send again' }).count()).toBe(0);
		await app.dialog().getByRole('button', { name: 'Open in Playground' }).click();
		// Not to everybody, though its entry names no channels.
		await app.button('Send to 1 phone').waitFor();
	});
});

describe('merging people', () => {
	it('starts with nobody, and shows the phones of both', async () => {
		await app.open('People');
		await owner.page.getByRole('button', { name: 'Merge Ada' }).click();
		await app.dialog().getByText('Ada: Tablet 1, Tablet 2, Tablet 3').waitFor();
		expect(await app.field('Same person as').inputValue()).toBe('');
		expect(await app.dialog().getByRole('button', { name: 'Merge' }).isDisabled()).toBe(true);
		await app.choose('Same person as', 'Olga');
		await app.dialog().getByText('Olga: Demo phone').waitFor();
		await onEverySize('console-merge');
		await app.dialog().getByRole('button', { name: 'Merge' }).click();
		await eventually(async () =>
			expect(await owner.page.getByRole('button', { name: 'Merge Ada' }).count()).toBe(0),
		);
	});
});
