import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';

import { openBench, type Bench } from '../../test/n8n/support/bench.ts';
import { launchBrowser } from '../../test/n8n/support/browser.ts';
import { Editor } from '../../test/n8n/support/editor.ts';
import { LINE_2 } from '../../test/n8n/support/lines.ts';
import { ROOT } from '../lib/root.ts';
import { encode } from './encode.ts';
import { Recording, tapVisibly } from './recording.ts';
import { LAST_TITLE, QUESTION, WORKFLOW } from './workflow.ts';

const FILM = path.join(ROOT, 'docs/images/film.webp');

const EDITOR_SIZE = { width: 740, height: 740 };
const PHONE_SIZE = { width: 380, height: 740 };

const METRICS = { 'build.status': '4.1.9', 'cpu.load': 23, 'revenue.today': 42.5 };

/** Where the pointer is on the canvas while nothing is clicked: over no node. */
const REST = { x: 20, y: EDITOR_SIZE.height / 2 };

/** Seconds before the first click and after the end. */
const CALM = { before: 1, after: 3 };

/** The canvas alone: the film is about the workflow, not about n8n's menus. */
const CANVAS_ONLY = `
	#sidebar, #header, #banners, #footer, .el-notification, [data-test-id="main-sidebar"],
	[data-test-id="canvas-controls"], [class*="nodeButtonsWrapper"], [class*="_subtitle"] { display: none !important }
`;

const say = (line: string) => process.stdout.write(`${line}\n`);

async function tap(page: Page, target: Locator): Promise<void> {
	await target.waitFor();
	const box = await target.boundingBox();
	if (!box) throw new Error('The thing to tap is not in the picture');
	await tapVisibly(page, box.x + box.width / 2, box.y + box.height / 2);
}

/** Moves the canvas, so that the button below covers no node. */
async function panUp(editor: Page): Promise<void> {
	await editor.mouse.move(REST.x, REST.y);
	// The editor has to fit the workflow into the view first.
	await editor.waitForTimeout(1_000);
	await editor.mouse.wheel(0, 45);
}

async function openPhone(browser: Browser, link: string): Promise<Page> {
	const context = await browser.newContext({
		viewport: PHONE_SIZE,
		colorScheme: 'dark',
		locale: 'en-GB',
	});
	const page = await context.newPage();
	await page.goto(link);
	await page.locator('.status-icons .is-live').waitFor();
	const later = page.getByRole('button', { name: 'Not now' });
	if (await later.isVisible()) await later.click();
	return page;
}

async function setMetrics({ access }: Bench): Promise<void> {
	for (const [key, value] of Object.entries(METRICS)) {
		const response = await fetch(`${access.baseUrl}/metrics/${key}/value`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${access.apiKey}`,
				'content-type': 'application/json',
			},
			body: JSON.stringify({ value }),
		});
		if (!response.ok) throw new Error(`The metric ${key} was refused: ${await response.text()}`);
	}
}

/** Runs the workflow in the editor, approves it on the phone, and records both. */
async function record(browser: Browser, folder: string): Promise<[string, string]> {
	const bench = await openBench(LINE_2);
	try {
		await setMetrics(bench);
		const { id } = await bench.save(WORKFLOW);
		const { page: editor } = await Editor.logIn(browser, bench.n8n.url, {
			viewport: EDITOR_SIZE,
			deviceScaleFactor: 1,
		});
		await editor.goto(`${bench.n8n.url}/workflow/${id}`);
		const execute = editor.locator('[data-test-id="execute-workflow-button"]').first();
		await execute.waitFor();
		await editor.addStyleTag({ content: CANVAS_ONLY });
		await editor.keyboard.press('1');
		await panUp(editor);
		const phone = await openPhone(browser, bench.phoneLink);

		const recordings = [
			await Recording.start(editor, path.join(folder, 'editor')),
			await Recording.start(phone, path.join(folder, 'phone')),
		] as const;
		const from = Date.now() / 1_000;
		await editor.waitForTimeout(CALM.before * 1_000);
		await tap(editor, execute);
		await editor.mouse.move(REST.x, REST.y);
		const question = phone.locator('.notification').filter({ hasText: QUESTION });
		await question.waitFor();
		await phone.waitForTimeout(1_500);
		await tap(phone, question.getByRole('button', { name: 'Approve' }));
		await phone.getByRole('heading', { name: LAST_TITLE }).waitFor();
		await phone.waitForTimeout(CALM.after * 1_000);
		const to = Date.now() / 1_000;
		for (const recording of recordings) await recording.stop();
		say(`Recorded ${Math.round(to - from)} seconds.`);
		return [recordings[0].list(from, to), recordings[1].list(from, to)];
	} finally {
		await bench.close();
	}
}

const folder = mkdtempSync(path.join(tmpdir(), 'beckon-film-'));
const browser = await launchBrowser();
try {
	const size = await encode(await record(browser, folder), FILM);
	say(`${path.relative(ROOT, FILM)}: ${size} bytes`);
} finally {
	await browser.close();
	rmSync(folder, { recursive: true, force: true });
}
process.exit();
