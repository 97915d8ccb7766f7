import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startReceiver } from '../support/receiver.ts';
import { eventually, type Visit } from './support/browser.ts';
import type { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, startConsoleWorld } from './support/console-world.ts';

const CHOICES = [
	{ id: 'yes', title: 'Approve' },
	{ id: 'no', title: 'Decline', destructive: true },
];

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;
let phone: Visit;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
	await world.enter();
	phone = await world.openPhone();
	await app.open('Questions');
});

afterAll(() => world?.close());

afterEach(async () => {
	expect(await app.findings()).toEqual([]);
});

const card = (title: string) => owner.page.getByRole('region', { name: title, exact: true });
const show = (list: string | RegExp) =>
	owner.page.getByRole('navigation', { name: 'Questions' }).getByText(list).click();

describe('questions', () => {
	it('say that there are none, and where to ask one', async () => {
		await owner.page.getByText('No open questions').waitFor();
		let answer = (): void => undefined;
		const held = new Promise<void>((resolve) => (answer = resolve));
		await owner.page.route('**/api/openapi.json', async (route) => {
			await held;
			await route.continue();
		});
		await owner.page.getByRole('link', { name: 'Ask a question' }).click();
		// Without its fields, the form would send a question to all phones.
		await app.send().waitFor();
		expect(await app.send().isDisabled()).toBe(true);
		answer();
		await app.send().click();
		await owner.page.getByText('Sent to 1 phone').waitFor();
		await app.open('Questions');
		await card('Approve the refund?').getByText('Asked by the console').waitFor();
		// Nobody set the deadline, which is 30 days after asking.
		expect(await card('Approve the refund?').innerText()).not.toContain('left');
	});

	it('appear as they are asked, and are answered by a choice', async () => {
		const { question_id: id } = await world.api.ask({
			title: 'Deploy?',
			message: 'Version 1.4 passed all tests.',
			choices: CHOICES,
			deadline: { after_seconds: 7_200 },
		});
		await card('Deploy?')
			.getByText(/^Everybody in this account may answer\. 1 hour \d+ minutes left\.$/)
			.waitFor();
		await card('Deploy?').getByRole('button', { name: 'Approve' }).click();
		await owner.page.getByText('Deploy? · Approved by Olga.').waitFor();
		await card('Deploy?').waitFor({ state: 'detached' });
		expect(await world.api.question(id)).toMatchObject({
			answer: { choice: 'yes', by: { user: 'Olga', device: null } },
		});
		await phone.page.getByText('Approved by Olga').first().waitFor();
		await show('Past');
		await card('Deploy?')
			.getByText(/^Approved by Olga, /)
			.waitFor();
	});

	it('are answered by a text', async () => {
		await show(/^Open/);
		const { question_id: id } = await world.api.ask({
			title: 'Which version?',
			text: { placeholder: '1.4' },
		});
		await card('Which version?').getByLabel('Answer: Which version?').fill('1.5');
		await card('Which version?').getByRole('button', { name: 'Send' }).click();
		await owner.page.getByText('Which version? · “1.5” by Olga.').waitFor();
		expect(await world.api.question(id)).toMatchObject({ answer: { text: '1.5' } });
	});

	it('leave when somebody else was faster, and say who', async () => {
		await world.api.ask({ title: 'Both?', choices: CHOICES });
		await card('Both?').waitFor();
		// The page does not hear of the answer until it is back.
		await owner.context.setOffline(true);
		await phone.page.getByRole('button', { name: 'Decline: Both?' }).click();
		await phone.page
			.getByText(/^Declined by/)
			.first()
			.waitFor();
		await owner.context.setOffline(false);
		await eventually(async () => {
			await app.rest();
			expect(await card('Both?').count()).toBe(0);
		});
		await show('Past');
		await card('Both?')
			.getByText(/^Declined by/)
			.waitFor();
	});

	it('tell the workflow again when somebody asks for that', async () => {
		// n8n answers 410 for an execution that is gone: nothing calls it again by itself.
		const statuses = [410];
		const workflow = await startReceiver((_request, response) =>
			response.writeHead(statuses.shift() ?? 200).end('{}'),
		);
		await show(/^Open/);
		const asked = { title: 'Told?', choices: CHOICES, callback: { url: workflow.url } };
		const { question_id: id } = await world.api.ask(asked);
		await card('Told?').getByRole('button', { name: 'Approve' }).click();
		await eventually(async () => {
			expect(await world.api.question(id)).toMatchObject({ callback: 'over' });
		});
		await show('Past');
		await card('Told?').getByRole('button', { name: 'Tell the workflow again' }).click();
		await owner.page.getByText('Told? · The workflow is told again.').waitFor();
		await eventually(() => expect(workflow.received).toHaveLength(2));
		await workflow.close();
	});

	it('are withdrawn, and name those who may answer', async () => {
		await show(/^Open/);
		await world.api.ask({
			title: 'Raise?',
			choices: CHOICES,
			answerable_by: [await nameOnPhone()],
		});
		const raise = card('Raise?');
		await raise.getByText(/^Only .* may answer\./).waitFor();
		await raise.getByRole('button', { name: 'Withdraw' }).click();
		await app.dialog().getByRole('button', { name: 'Withdraw' }).click();
		await raise.waitFor({ state: 'detached' });
		await show('Past');
		await raise.getByText(/^Withdrawn, /).waitFor();
	});

	it('are withdrawn several at once', async () => {
		await show(/^Open/);
		for (const title of ['One?', 'Two?']) {
			await world.api.ask({ title, choices: CHOICES });
			await card(title).waitFor();
			await owner.page.getByLabel(`Select ${title}`).check();
		}
		await app.button('Withdraw 2 questions').click();
		expect(await app.findings()).toEqual([]);
		await app.dialog().getByRole('button', { name: 'Withdraw 2 questions' }).click();
		for (const title of ['One?', 'Two?']) await card(title).waitFor({ state: 'detached' });
	});

	it.each([
		[390, 844],
		[1_440, 900],
	])('fit a screen of %i pixels', async (width, height) => {
		await owner.page.setViewportSize({ width, height });
		await show(/^Open/);
		await world.api.ask({
			title: `Which of these would you rather have at ${width}?`,
			message: 'A-very-long-word-'.repeat(12),
			choices: [...CHOICES, { id: 'later', title: 'Ask me again tomorrow, in the morning' }],
			text: { multiline: true },
		});
		await card(`Which of these would you rather have at ${width}?`).waitFor();
		await app.rest();
		expect(await app.tooWide()).toEqual([]);
		if (width < 500) expect(await app.tooSmall()).toEqual([]);
		expect(await app.findings()).toEqual([]);
		await app.screenshot(`console-questions-${width}`);
	});

	it('are cards also where theirs is the first page that is opened', async () => {
		await owner.page.reload();
		const first = owner.page.locator('.live-card').first();
		await first.waitFor();
		expect(await first.evaluate((one) => getComputedStyle(one).borderTopWidth)).toBe('1px');
	});

	it('are withdrawn with the key that asked them', async () => {
		await owner.page.setViewportSize({ width: 1_280, height: 860 });
		await app.open('API keys');
		await owner.page
			.getByRole('button', { name: /^Revoke/ })
			.first()
			.click();
		await app.dialog().getByLabel('Withdraw its 2 open questions').check();
		expect(await app.findings()).toEqual([]);
		await app.dialog().getByRole('button', { name: 'Revoke' }).click();
		await app.dialog().waitFor({ state: 'detached' });
		await app.open('Questions');
		await owner.page.getByText('Open (1)').waitFor();
		await card('Approve the refund?').waitFor();
	});
});

/** Whose phone it is. */
async function nameOnPhone(): Promise<string> {
	const answer = await fetch(`${world.server.url}/device/snapshot`, {
		headers: { authorization: `Bearer ${world.deviceToken}` },
	});
	const { device } = (await answer.json()) as { device: { user: { name: string } } };
	return device.user.name;
}
