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
});

afterAll(() => world?.close());

afterEach(async () => {
	expect(await app.findings()).toEqual([]);
});

const people = () => owner.page.getByRole('region', { name: 'People with phones' });
const person = (name: string) =>
	people()
		.getByRole('row')
		.filter({ has: owner.page.getByText(name, { exact: true }) });
const addPerson = async (name: string) => {
	await app.button('Add a person').click();
	expect(await app.field('Name').inputValue()).toBe('');
	await app.field('Name').fill(name);
	await app.dialog().getByRole('button', { name: 'Add' }).click();
	await person(name).waitFor();
};
/** Looks at a phone's card, and comes back. */
const onPhones = async (look: () => Promise<void>) => {
	await app.open('Phones');
	await look();
	await app.open('People');
};
const haveFocus = (words: string) =>
	eventually(async () => expect(await app.focused()).toBe(words));

describe('people', () => {
	it('are added, and renamed in the list and on their phones', async () => {
		await addPerson('Karin');
		await world.pair('Hall tablet', 'Karin');
		await onPhones(() => app.card('Hall tablet').getByText('Karin · Browser').waitFor());
		await person('Karin').getByRole('button', { name: 'Rename' }).click();
		await app.field('Name').fill('Katrin');
		await app.dialog().getByRole('button', { name: 'Rename' }).click();
		await person('Karin').waitFor({ state: 'detached' });
		await haveFocus('Rename Katrin');
		await onPhones(() => app.card('Hall tablet').getByText('Katrin · Browser').waitFor());
	});

	it('keep their names apart: a name that another person has is refused in the dialog', async () => {
		await person('Katrin').getByRole('button', { name: 'Rename' }).click();
		await app.field('Name').fill('Olga');
		await app.dialog().getByRole('button', { name: 'Rename' }).click();
		await app.dialog().getByRole('alert').getByText('Olga').waitFor();
		expect(await app.findings()).toEqual([]);
		await app.dialog().getByRole('button', { name: 'Cancel' }).click();
		await person('Katrin').waitFor();
		await haveFocus('Rename Katrin');
	});

	it('are merged with the member they are, whose phones and channels theirs become', async () => {
		await person('Olga').getByText('Signs in as olga@example.com').waitFor();
		await person('Katrin')
			.getByRole('button', { name: /^Merge/ })
			.click();
		await app.dialog().getByText('For a person who is listed twice.').waitFor();
		expect(await app.field('Same person as').inputValue()).toBe('');
		await app.choose('Same person as', 'Olga');
		expect(await app.findings()).toEqual([]);
		await app.dialog().getByRole('button', { name: 'Merge' }).click();
		await person('Katrin').waitFor({ state: 'detached' });
		await person('Olga').getByRole('cell', { name: '2', exact: true }).waitFor();
		await haveFocus('main');
		await onPhones(() => app.card('Hall tablet').getByText('Olga · Browser').waitFor());
	});

	it('are removed with their phones, unless they sign in', async () => {
		expect(await person('Olga').getByRole('button', { name: 'Remove' }).count()).toBe(0);
		await addPerson('Max');
		await world.pair('Max’s phone', 'Max');
		await onPhones(() => app.card('Max’s phone').waitFor());
		await person('Max').getByRole('button', { name: 'Remove' }).click();
		await app.dialog().getByText('Their phones are disconnected and removed too.').waitFor();
		expect(await app.findings()).toEqual([]);
		await app.dialog().getByRole('button', { name: 'Remove' }).click();
		await person('Max').waitFor({ state: 'detached' });
		await haveFocus('main');
		await onPhones(() => app.card('Max’s phone').waitFor({ state: 'detached' }));
	});
});

describe('several people at once', () => {
	it('are put into a channel, and removed but for those who sign in, which is said', async () => {
		for (const name of ['Ida', 'Jan']) await addPerson(name);
		await owner.page.getByLabel('Select all on this page').check();
		await app.button('Add 3 people to a channel').click();
		await app.choose('Channel', 'ops');
		await app.dialog().getByRole('button', { name: 'Add 3 people' }).click();
		await app.dialog().waitFor({ state: 'detached' });
		for (const name of ['Ida', 'Jan', 'Olga']) await person(name).getByText('ops').waitFor();
		await app.button('Remove 3 people').click();
		await app.dialog().getByRole('button', { name: 'Remove 3 people' }).click();
		await app.dialog().getByRole('alert').getByText('1 failed.').waitFor();
		await app.dialog().getByRole('button', { name: 'Cancel' }).click();
		for (const name of ['Ida', 'Jan']) await person(name).waitFor({ state: 'detached' });
		await app.button('Remove 1 person').waitFor();
	});
});

describe('a disconnected phone', () => {
	it('can be removed from the list, and a connected one only disconnected', async () => {
		await app.open('Phones');
		const tablet = app.card('Hall tablet');
		expect(await tablet.getByRole('button', { name: 'Remove' }).count()).toBe(0);
		await tablet.getByRole('button', { name: 'Disconnect' }).click();
		await app.dialog().getByRole('button', { name: 'Disconnect' }).click();
		await tablet.getByText('Disconnected').waitFor();
		expect(await app.findings()).toEqual([]);
		await haveFocus('main');
		await tablet.getByRole('button', { name: 'Remove' }).click();
		await app.dialog().getByText('The history is kept.').waitFor();
		await app.dialog().getByRole('button', { name: 'Remove' }).click();
		await tablet.waitFor({ state: 'detached' });
		await haveFocus('main');
		await app.open('People');
		await person('Olga').getByRole('cell', { name: '1', exact: true }).waitFor();
	});
});
