import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CDPSession, Page } from 'playwright-core';

import { until } from '../../test/n8n/support/wait.ts';

interface Frame {
	file: string;
	/** Seconds since 1970, by the browser's clock. */
	at: number;
}

/** Records a page: a picture of each change, with its time. */
export class Recording {
	readonly frames: Frame[] = [];
	readonly #folder: string;
	readonly #devtools: CDPSession;

	private constructor(folder: string, devtools: CDPSession) {
		this.#folder = folder;
		this.#devtools = devtools;
	}

	static async start(page: Page, folder: string): Promise<Recording> {
		mkdirSync(folder, { recursive: true });
		const devtools = await page.context().newCDPSession(page);
		const recording = new Recording(folder, devtools);
		devtools.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
			recording.#keep(data, metadata.timestamp ?? Date.now() / 1_000);
			// The page may be closed by now.
			devtools.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
		});
		await devtools.send('Page.startScreencast', { format: 'png' });
		// Waits for the first frame, which shows the page as it is: unless the page changes, no others follow.
		await until(() => recording.frames[0], { what: `picture of ${page.url()}` });
		return recording;
	}

	#keep(data: string, at: number): void {
		const file = path.join(this.#folder, `${String(this.frames.length).padStart(5, '0')}.png`);
		writeFileSync(file, Buffer.from(data, 'base64'));
		this.frames.push({ file, at });
	}

	async stop(): Promise<void> {
		await this.#devtools.send('Page.stopScreencast');
	}

	/**
	 * Writes the frames between two times as a list for ffmpeg's concat demuxer, each with its duration; a frame
	 * stays until the next change.
	 */
	list(from: number, to: number): string {
		const shown = this.frames.filter(({ at }) => at < to).sort((a, b) => a.at - b.at);
		const first = Math.max(
			0,
			shown.findLastIndex(({ at }) => at <= from),
		);
		const lines = shown.slice(first).flatMap(({ file, at }, index, all) => {
			const until = all[index + 1]?.at ?? to;
			return [`file '${file}'`, `duration ${(until - Math.max(at, from)).toFixed(3)}`];
		});
		const list = path.join(this.#folder, 'list.txt');
		// The demuxer ignores the last duration unless the file is listed again.
		writeFileSync(list, ['ffconcat version 1.0', ...lines, lines.at(-2)].join('\n'));
		return list;
	}
}

/** Shows where the page is tapped, for a moment, as a finger would. */
export async function tapVisibly(page: Page, x: number, y: number): Promise<void> {
	await page.evaluate(
		({ left, top }) => {
			const dot = document.createElement('div');
			Object.assign(dot.style, {
				position: 'fixed',
				left: `${left - 18}px`,
				top: `${top - 18}px`,
				width: '36px',
				height: '36px',
				borderRadius: '50%',
				background: 'rgb(255 140 60 / 55%)',
				border: '2px solid rgb(255 255 255 / 85%)',
				zIndex: '2147483647',
				pointerEvents: 'none',
			});
			document.body.append(dot);
			setTimeout(() => dot.remove(), 900);
		},
		{ left: x, top: y },
	);
	await page.waitForTimeout(500);
	await page.mouse.click(x, y);
}
