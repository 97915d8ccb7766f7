import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Visit, visit } from './support/browser.ts';
import { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, PASSWORD, startConsoleWorld } from './support/console-world.ts';

const NEXT = 'seven green kettles sing';
const IS_OVER = 'Your session has ended. Sign in again.';
const MAX = { name: 'Max', email: 'max@example.com', password: PASSWORD };

let world: ConsoleWorld;
/** The owner's console. */
let app: ConsolePage;
/** Max's computer and Max's phone; the console is open on both. */
let computer: Visit;
let phone: Visit;
let max: ConsolePage;
let maxOnPhone: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	app = world.app;
	await world.enter();
	computer = await visit(world.browser);
	phone = await visit(world.browser);
	max = new ConsolePage(computer.page);
	maxOnPhone = new ConsolePage(phone.page);
	await max.join(await app.inviteLink(), MAX);
	await phone.page.goto(`${world.server.url}/console`);
});

afterAll(() => world?.close());

const section = (name: string) => max.page.getByRole('region', { name, exact: true });
const openAccount = async () => {
	await max.page.getByTitle('Your account').click();
	await max.heading('Your account').waitFor();
};
const enterOnPhone = async (password: string) => {
	await maxOnPhone.signIn(MAX.email, password);
	await maxOnPhone.heading('Live now').waitFor();
};
const haveFocus = (words: string) =>
	eventually(async () => expect(await max.focused()).toBe(words));

describe('your account', () => {
	it('changes your name, by which your phones are listed', async () => {
		await world.pair('Max’s tablet', 'Max');
		await openAccount();
		await section('Name').getByLabel('Name', { exact: true }).fill('Maximilian');
		await max.button('Change name').click();
		await max.page.getByText('Name changed.').waitFor();
		await haveFocus('Change name');
		await max.page.getByTitle('Your account').getByText('Maximilian').waitFor();
		await app.open('Phones');
		await app.card('Max’s tablet').getByText('Maximilian · Browser').waitFor();
		expect(await max.findings()).toEqual([]);
	});

	it('refuses another person’s name', async () => {
		await section('Name').getByLabel('Name', { exact: true }).fill('Olga');
		await max.button('Change name').click();
		await section('Name').getByRole('alert').getByText('Olga').waitFor();
		await max.page.getByText('Name changed.').waitFor({ state: 'detached' });
	});

	it('changes the address you sign in with, by your password', async () => {
		const email = section('Email address');
		await email.getByLabel('New email address', { exact: true }).fill('new@example.com');
		await email.getByLabel('Your password', { exact: true }).fill('a guess of mine');
		await max.button('Change email address').click();
		await email.getByText('Current password is wrong.').waitFor();
		await email.getByLabel('Your password', { exact: true }).fill(PASSWORD);
		await max.button('Change email address').click();
		await email.getByText('You sign in as new@example.com.').waitFor();
		expect(await max.findings()).toEqual([]);
		await email.getByLabel('New email address', { exact: true }).fill(MAX.email);
		await email.getByLabel('Your password', { exact: true }).fill(PASSWORD);
		await max.button('Change email address').click();
		await email.getByText(`You sign in as ${MAX.email}.`).waitFor();
	});

	it('renames the account, for owners', async () => {
		expect(await max.button('Change account name').count()).toBe(0);
		await app.page.getByTitle('Your account').click();
		await app.field('Account name').fill('The bakery');
		await app.button('Change account name').click();
		await app.page.getByText('Account name changed.').waitFor();
		await max.page.locator('.brand').getByText('The bakery').waitFor();
		expect(await app.findings()).toEqual([]);
	});

	it('shows where else you are signed in, and ends that', async () => {
		await section('Other sessions').getByText('You are not signed in anywhere else.').waitFor();
		expect(await max.button('Sign out everywhere else').count()).toBe(0);
		await enterOnPhone(PASSWORD);
		await max.page.reload();
		await section('Other sessions')
			.getByText(/^Signed in .+, last used /)
			.waitFor();
		expect(await max.findings()).toEqual([]);
		await max.button('Sign out everywhere else').click();
		await phone.page.getByText(IS_OVER).waitFor();
		await max.page.getByText('You are signed out everywhere else.').waitFor();
		await section('Other sessions').getByText('You are not signed in anywhere else.').waitFor();
	});

	it('names the browser and address of each session, and ends one of them', async () => {
		await enterOnPhone(PASSWORD);
		await max.page.reload();
		await section('Other sessions')
			.getByText(/^Chrome on .+, 127\.0\.0\.1$/)
			.waitFor();
		await section('Other sessions')
			.getByRole('button', { name: /^Sign out Chrome/ })
			.click();
		await phone.page.getByText(IS_OVER).waitFor();
		await section('Other sessions').getByText('You are not signed in anywhere else.').waitFor();
	});

	it('keeps the password where the current one is wrong, or the new one too easy', async () => {
		await max.field('Current password').fill('a guess of mine');
		await max.field('New password').fill(NEXT);
		await max.button('Change password').click();
		await section('Password').getByText('Current password is wrong.').waitFor();
		await max.field('Current password').fill(PASSWORD);
		await max.field('New password').fill('maximilian123');
		await max.button('Change password').click();
		await section('Password')
			.getByText(/^Password is too easy to guess: /)
			.waitFor();
		expect(await max.findings()).toEqual([]);
	});

	it('changes the password, and ends the sessions that the old one opened', async () => {
		await enterOnPhone(PASSWORD);
		await max.field('Current password').fill(PASSWORD);
		await max.field('New password').fill(NEXT);
		await max.button('Change password').click();
		await section('Password').getByText('You are signed out everywhere else.').waitFor();
		await haveFocus('Change password');
		expect(await max.field('New password').inputValue()).toBe('');
		await phone.page.getByText(IS_OVER).waitFor();
		await maxOnPhone.signIn(MAX.email, PASSWORD);
		await phone.page.getByText('The email address or the password is wrong.').waitFor();
		await enterOnPhone(NEXT);
	});
});

describe('a member who forgot the password', () => {
	const FORGOTTEN = 'nine purple lanterns drift';
	let link: string;

	it('is told at the sign-in to ask an owner, who makes a link', async () => {
		await maxOnPhone.button('Sign out').click();
		await phone.page.getByText('Ask an owner for a reset link').waitFor();
		await app.open('People');
		await app
			.row(/max@example\.com/)
			.getByRole('button', { name: 'Reset password' })
			.click();
		await app.dialog().getByText('Maximilian can set a new password with this link once').waitFor();
		expect(await app.findings()).toEqual([]);
		link = await app.takeLink();
		expect(await app.focused()).toBe('Reset password of Maximilian');
	});

	it('sets a new password by the link, although the sign-in is open, and is signed in', async () => {
		await phone.page.goto(link);
		await maxOnPhone.heading('Set a new password').waitFor();
		expect(phone.page.url()).not.toContain('reset=');
		expect(await maxOnPhone.field('Email address').inputValue()).toBe(MAX.email);
		expect(await maxOnPhone.findings()).toEqual([]);
		await maxOnPhone.field('Password').fill('short');
		await maxOnPhone.button('Set password').click();
		await phone.page.getByText('Password must be 12 to 256 characters long.').waitFor();
		await maxOnPhone.field('Password').fill(FORGOTTEN);
		await maxOnPhone.button('Set password').click();
		await maxOnPhone.heading('Live now').waitFor();
		await computer.page.getByText(IS_OVER).waitFor();
		await max.signIn(MAX.email, FORGOTTEN);
		await max.heading('Your account').waitFor();
	});

	it('can no longer use a link that an owner has withdrawn from the list', async () => {
		const reset = app.row(/max@example\.com/).getByRole('button', { name: 'Reset password' });
		await reset.click();
		const withdrawn = await app.takeLink();
		const listed = app.row(/Password reset link created by Olga, works until /);
		expect(await app.findings()).toEqual([]);
		await app.screenshot('console-members-links');
		await listed.getByRole('button', { name: 'Withdraw' }).click();
		await app.dialog().getByText('Withdraw this password reset link?').waitFor();
		await app.dialog().getByRole('button', { name: 'Withdraw' }).click();
		await listed.waitFor({ state: 'detached' });
		const stranger = await visit(world.browser);
		await stranger.page.goto(withdrawn);
		await stranger.page.getByRole('alert').getByText('withdrawn').waitFor();
		await stranger.context.close();
	});

	it('is told that a used link no longer works, and gets to the sign-in', async () => {
		const stranger = await visit(world.browser);
		const theirs = new ConsolePage(stranger.page);
		await stranger.page.goto(link);
		await stranger.page.getByRole('alert').waitFor();
		expect(await theirs.findings()).toEqual([]);
		await theirs.button('Go to sign in').click();
		await theirs.heading('Sign in to Beckon').waitFor();
		await stranger.context.close();
	});
});
