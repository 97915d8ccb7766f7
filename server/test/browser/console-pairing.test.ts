import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { eventually, visit } from './support/browser.ts';
import { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, pairBy, PASSWORD, startConsoleWorld } from './support/console-world.ts';

let world: ConsoleWorld;
let page: Page;
let app: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	app = world.app;
	page = world.owner.page;
	await page.clock.install();
	await world.enter();
	await app.open('Phones');
});

afterAll(() => world?.close());

const showDialog = async () => {
	await app.button('Pair a phone').click();
	await app.dialog().getByText('Whose phone is it?').waitFor();
};
const showCode = async () => {
	await app.button('Show the code').click();
	return codeOnShow();
};
const codeOnShow = async () => (await page.getByTestId('pair-code').textContent()) ?? '';
const secondsLeft = async () => {
	const [minutes, seconds] = ((await page.getByTestId('time-left').textContent()) ?? '').split(':');
	return Number(minutes) * 60 + Number(seconds);
};

describe('the pairing dialog', () => {
	it('says that an address of this computer is of no use to a phone, and which setting helps', async () => {
		await showDialog();
		const advice = app.dialog().getByRole('alert');
		await advice.getByText(`${world.server.url} works only on this computer`).waitFor();
		await advice.getByText('Set BECKON_PUBLIC_URL to the https address').waitFor();
		expect(await app.findings()).toEqual([]);
	});

	it('pairs a phone of the person signed in, unless they choose somebody else', async () => {
		expect(await app.field('Whose phone is it?').inputValue()).toBe('Olga');
		await showCode();
		await app.dialog().getByText('For one phone of Olga. Expires in').waitFor();
		await app.dialog().getByText(`${world.server.url} works only on this computer`).waitFor();
		await app.dialog().getByText('Waiting for the phone…').waitFor();
		expect(await app.findings()).toEqual([]);
	});

	it('counts down the time for which the code is good', async () => {
		const before = await secondsLeft();
		expect(before).toBeGreaterThan(14 * 60);
		await page.clock.fastForward('05:00');
		await eventually(async () => {
			const passed = before - (await secondsLeft());
			expect(passed).toBeGreaterThanOrEqual(300);
			expect(passed).toBeLessThan(330);
		});
	});

	it('makes another code when it is asked to, with all of its time', async () => {
		const first = await codeOnShow();
		await app.button('New code').click();
		await page.getByText(first).waitFor({ state: 'detached' });
		expect(await secondsLeft()).toBeGreaterThan(14 * 60);
		expect(await app.focused()).not.toBe('body');
		expect(await app.focused()).not.toBe('main');
	});

	it('takes a code away that has expired, and offers another', async () => {
		await page.clock.fastForward('15:01');
		await app.dialog().getByText('This code has expired.').waitFor();
		expect(await page.getByTestId('pair-code').count()).toBe(0);
		const picture = app.dialog().getByRole('img', { name: 'Link to pair the phone' });
		expect(await picture.count()).toBe(0);
		expect(await app.findings()).toEqual([]);
		await app.button('New code').click();
		await page.getByTestId('pair-code').waitFor();
	});

	it('notices that the phone has paired, and leads to it', async () => {
		await pairBy(world.server, await codeOnShow(), 'Kitchen tablet');
		const status = app.dialog().getByRole('status');
		await status.getByText('Kitchen tablet is paired for Olga.').waitFor();
		expect(await app.findings()).toEqual([]);
		await app.button('Done').click();
		await app.dialog().waitFor({ state: 'detached' });
		await app.card('Kitchen tablet').waitFor();
		expect(await app.focused()).toBe('Pair a phone');
	});

	it('offers a member who is no owner themselves alone', async () => {
		const { context, page: theirs } = await visit(world.browser);
		const max = new ConsolePage(theirs);
		await max.join(await app.inviteLink(), {
			name: 'Max',
			email: 'max@example.com',
			password: PASSWORD,
		});
		await max.open('Phones');
		await max.button('Pair a phone').click();
		await max.dialog().getByText('Only an owner can pair a phone for someone else.').waitFor();
		await max.field('Whose phone is it?').click();
		expect(await theirs.getByRole('option').allTextContents()).toEqual(['Max']);
		await theirs.keyboard.press('Enter');
		expect(await max.findings()).toEqual([]);
		await max.button('Show the code').click();
		await max.dialog().getByText('For one phone of Max. Expires in').waitFor();
		await context.close();
		await app.open('Phones');
	});

	it('begins anew the next time', async () => {
		await showDialog();
		expect(await page.getByTestId('pair-code').count()).toBe(0);
	});
});

describe('the pairing dialog of a server with an address of its own', () => {
	const openAt = async (publicUrl: string) => {
		await world.server.stop();
		world.server.settings = { BECKON_PUBLIC_URL: publicUrl };
		await world.server.start();
		await page.reload();
		await showDialog();
	};

	it('says that an address without https brings no notifications, and which setting helps', async () => {
		await openAt('http://beckon.home.arpa');
		const advice = app.dialog().getByRole('alert');
		await advice.getByText('http://beckon.home.arpa is not https').waitFor();
		await advice.getByText('set BECKON_PUBLIC_URL to that address').waitFor();
		await showCode();
		await app.dialog().getByText('http://beckon.home.arpa/phone', { exact: true }).waitFor();
		expect(await app.findings()).toEqual([]);
	});

	it('has nothing to say against an https address', async () => {
		await openAt('https://beckon.example.com');
		await showCode();
		await app.dialog().getByText('https://beckon.example.com/phone', { exact: true }).waitFor();
		expect(await app.dialog().getByRole('alert').count()).toBe(0);
		const link = app.dialog().getByRole('link', { name: 'Open it here' });
		expect(await link.getAttribute('href')).toMatch(
			/^https:\/\/beckon\.example\.com\/phone#code=\w{8}$/,
		);
	});
});
