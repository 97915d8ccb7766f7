import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds on the page, as `rule: element` lines. */
export async function findingsOf(page: Page): Promise<string[]> {
	await page.evaluate(axe.source);
	return page.evaluate(async () => {
		const { violations } = await (window as unknown as { axe: typeof import('axe-core') }).axe.run(
			document,
			{ resultTypes: ['violations'] },
		);
		return violations.flatMap(({ id, nodes }) =>
			nodes.map(({ html, any }) => `${id}: ${html.slice(0, 200)} ${any[0]?.message ?? ''}`),
		);
	});
}
