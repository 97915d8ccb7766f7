import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { BACKUP, BREAD, DEPLOY, SALES, SERVER } from './support/examples.ts';

const SECONDS = 4;

/** The browser's frames over a stretch of time. */
interface Watched {
	frames: number;
	seconds: number;
	/** Longest time between two frames, milliseconds. */
	longest: number;
}

/** Five Live Activities, the most a phone shows: timers tick and updates arrive. */
describe('a full lock screen', () => {
	let bench: Bench;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		await bench.pair();
		const examples = { bread: BREAD, deploy: DEPLOY, server: SERVER, backup: BACKUP, sales: SALES };
		for (const [key, state] of Object.entries(examples)) await bench.api.stream(key, state);
		await bench.phone.activity('Sales today').waitFor();
	});

	afterAll(async () => {
		await bench.close();
	});

	it('lays out for what changes, and not for every frame', async () => {
		const { page, context } = bench.opened;
		expect(await page.locator('.activity').count()).toBe(5);
		const devtools = await context.newCDPSession(page);
		await devtools.send('Performance.enable');
		const count = async () => {
			const { metrics } = await devtools.send('Performance.getMetrics');
			const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
			return { layouts: of('LayoutCount'), busy: of('TaskDuration') };
		};
		const before = await count();
		const watching = page.evaluate(watch, SECONDS * 1_000);
		let updates = 0;
		for (let value = 130; value < 190; value += 10, updates += 1) {
			await bench.api.stream('backup', { value });
			await page.waitForTimeout((SECONDS * 1_000) / 8);
		}
		const { frames, seconds, longest } = await watching;
		const after = await count();
		const layouts = after.layouts - before.layouts;
		const busy = (after.busy - before.busy) / seconds;
		process.stdout.write(
			`5 activities: ${(frames / seconds).toFixed(1)} frames/s (longest ${longest.toFixed(0)} ms), ` +
				`${layouts} layouts in ${frames} frames, main thread ${(busy * 100).toFixed(0)} % busy\n`,
		);
		expect(frames).toBeGreaterThan(0);
		// A tick or an update changes text, which takes a layout or two; motion uses transforms alone.
		expect(layouts).toBeLessThan(4 * (updates + Math.ceil(seconds)));
	});
});

/** Runs in the page: counts frames for a while. */
async function watch(milliseconds: number): Promise<Watched> {
	const start = performance.now();
	let [frames, last, longest] = [0, start, 0];
	while (last - start < milliseconds) {
		const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
		longest = Math.max(longest, now - last);
		last = now;
		frames += 1;
	}
	return { frames, seconds: (last - start) / 1_000, longest };
}
