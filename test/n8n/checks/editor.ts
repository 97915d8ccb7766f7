import path from 'node:path';

import type { Browser } from 'playwright-core';

import type { Check } from './check.ts';
import { launchBrowser } from '../support/browser.ts';
import { Editor } from '../support/editor.ts';
import { LINE_2 } from '../support/lines.ts';
import { resultsFolder } from '../support/results.ts';

const README_PICTURES = path.join(import.meta.dirname, '../../../docs/images');

/** Search words of people who need a push and do not know our name. */
const OTHER_WORDS = ['push notification', 'live activity', 'pushover'];

const TITLE = 'Backup finished';

export const checkEditor: Check = (bench) => {
	describe('the editor', () => {
		let browser: Browser | undefined;
		let editor: Editor;

		beforeAll(async () => {
			browser = await launchBrowser();
			editor = await Editor.logIn(browser, bench().n8n.url);
			await editor.newWorkflow();
		});

		afterAll(async () => {
			await browser?.close();
		});

		/** Saves a picture of the test run; those of the newest n8n may go into the README. */
		async function keep(name: string): Promise<void> {
			await editor.picture(path.join(resultsFolder(bench().line), name));
			if (process.env['README_PICTURES'] === '1' && bench().line === LINE_2) {
				await editor.picture(path.join(README_PICTURES, name));
			}
		}

		it.each(OTHER_WORDS)('finds the node by searching for "%s"', async (words) => {
			await editor.search(words);
			await editor.found('Beckon').waitFor();
		});

		it('sends a push that needs nothing but a title and a message', async () => {
			await editor.search('beckon');
			await editor.found('Beckon').click();
			await editor.found('Send push notification').click();
			await editor.chooseCredential(bench().credential.id);
			await editor.field('title').fill(TITLE);
			await editor.field('message').fill('42 GB in 11 minutes, nothing lost');
			await editor.executeStep();
			await editor.output.getByText('devices_notified').waitFor();
			expect((await bench().phone.sent()).at(-1)).toMatchObject({ push: { title: TITLE } });
			await editor.showJson();
			await keep('n8n-node.png');
		});

		it("shows what is wrong in the service's words", async () => {
			const before = await bench().phone.inbox();
			await editor.addOption('Tags');
			await editor.field('tags').fill('Nightly Backup');
			await editor.executeStep();
			await editor.output.getByText('Error details').waitFor();
			expect(await editor.output.innerText()).toContain(
				'Tags (tags[0]) must be 1 to 64 characters: lowercase letters, digits, dashes, underscores, periods and colons.',
			);
			expect(await bench().phone.inbox()).toEqual(before);
			await keep('n8n-error.png');
		});
	});
};
