import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** Draws the phone's icons as PNG from web/phone/icon.svg: `node server/scripts/draw-icons.ts`. */

const PAGE = join(import.meta.dirname, '../web/phone');
const ICONS = join(PAGE, 'public/icons');
const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

const svg = readFileSync(join(PAGE, 'icon.svg'), 'utf8');
/** To the edges: the system cuts out the shape. */
const full = svg.replace('rx="15"', '');
/** The edges, which may be cut off, are sky: the lighthouse stays in the middle. */
const maskable = full.replace(
	/(<rect width="64" height="64" fill="url\(#sky\)" \/>)([\s\S]*)<\/g>/,
	'$1<g transform="translate(6.4 6.4) scale(0.8)">$2</g></g>',
);
/** Android shows it in one color. */
const silhouette = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="8 4 50 56"><path fill="#fff" d="M20.5 31h11l3.5 25h-18zM17.5 27.5h17v2.5h-17zM20 18h12v8.5H20zM18.5 17L26 9.5l7.5 7.5z"/><path fill="#fff" opacity=".6" d="M34 20L58 12v20z"/></svg>`;

const icons = [
	{ name: 'icon-192', size: 192, svg },
	{ name: 'icon-512', size: 512, svg },
	{ name: 'maskable-512', size: 512, svg: maskable },
	{ name: 'apple-touch-icon', size: 180, svg: full },
	{ name: 'badge-96', size: 96, svg: silhouette },
];

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
const page = await browser.newPage();
for (const { name, size, svg: drawing } of icons) {
	await page.setViewportSize({ width: size, height: size });
	const image = `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`;
	await page.setContent(
		`<style>body{margin:0}img{display:block}</style><img width="${size}" height="${size}" src="${image}">`,
	);
	await page.screenshot({ path: join(ICONS, `${name}.png`), omitBackground: true });
}
await browser.close();
