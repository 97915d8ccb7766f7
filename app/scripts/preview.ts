/**
 * Draws trees of the tests as HTML, and takes the documentation's picture of them. It does not prove SwiftUI's fonts,
 * widths and heights.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../server/test/browser/support/browser.ts';
import { HANGS_MS } from '../../server/test/support/wait.ts';
import { clockText } from '../../server/web/device/timer.ts';
import { GLYPHS } from '../../server/web/phone/symbols/glyphs.ts';
import { glyphFor } from '../../server/web/phone/symbols/symbol-names.ts';
import { APP, type Node } from '../test/support/extension.ts';

type Modifiers = ReadonlyArray<Record<string, any>>;

const escape = (text: string) =>
	text.replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);

const colorOf = (style: any): string => {
	const value = style?.color ?? style;
	if (style?.hierarchical === 'secondary')
		return 'color-mix(in srgb, currentColor 60%, transparent)';
	return typeof value === 'string' ? value : 'inherit';
};

/** CSS for SwiftUI's modifiers, as far as the layouts use them. */
const CSS_OF: Record<string, (modifier: Record<string, any>) => string | string[]> = {
	font: ({ size, weight }) =>
		`font-size:${size}px;font-weight:${{ semibold: 600, bold: 700 }[weight as string] ?? 400}`,
	foregroundStyle: ({ style }) => `color:${colorOf(style)};--shape:${colorOf(style)}`,
	background: ({ style }) => `background:${colorOf(style)};border-radius:99px`,
	padding: ({ all = 0, vertical = all, horizontal = all }) =>
		`padding:${vertical}px ${horizontal}px`,
	frame: ({ height, minHeight, maxWidth }) => [
		height && `height:${height}px`,
		minHeight && `min-height:${minHeight}px`,
		maxWidth && 'width:100%',
	],
	lineLimit: ({ limit }) => `-webkit-line-clamp:${limit}`,
	opacity: ({ value }) => `opacity:${value}`,
	fixedSize: () => 'flex:none',
	tint: (modifier) => `--tint:${colorOf(modifier['tint'])}`,
};

const cssOf = (modifiers: Modifiers = []) =>
	modifiers.flatMap((modifier) => CSS_OF[modifier['$type']]?.(modifier) ?? []).join(';');

/** The share of each timer that has passed: fixed, so that every picture is the same. */
const SHARE_PASSED = 0.4;

function textOf({ text, timerInterval, countsDown }: Node['props']): string {
	if (!timerInterval) return String(text ?? '');
	const { lower, upper } = timerInterval as { lower: number; upper: number };
	const passed = SHARE_PASSED * (upper - lower);
	return clockText(Math.round((countsDown ? upper - lower - passed : passed) / 1_000));
}

function htmlOf(node: Node | undefined): string {
	if (!node) return '';
	const { type, props } = node;
	const style = cssOf(props['modifiers'] as Modifiers);
	const children = [props['children']].flat(3).filter(Boolean) as Node[];
	const inner = children.map(htmlOf).join('');
	switch (type) {
		case 'TextView':
			return `<span class="text" dir="auto" style="${style}">${escape(textOf(props))}</span>`;
		case 'ImageView': {
			const path = GLYPHS[glyphFor(String(props['systemName']))];
			return `<svg viewBox="0 0 24 24" style="${style}"><path d="${path}"/></svg>`;
		}
		case 'ProgressView': {
			const { timerInterval: range, value } = props;
			const passed = range ? SHARE_PASSED : value;
			const filled = range && props['countsDown'] ? 1 - passed : passed;
			return `<span class="bar" style="${style}"><i style="width:${filled * 100}%"></i></span>`;
		}
		default: {
			const gap = `gap:${props['spacing'] ?? 8}px`;
			const align = ALIGN[props['alignment'] as string] ?? 'center';
			return `<div class="${type}" style="${gap};align-items:${align};${style}">${inner}</div>`;
		}
	}
}

const ALIGN: Record<string, string> = { leading: 'flex-start', trailing: 'flex-end' };

const CSS = `
body { margin: 0; padding: 16px; width: 390px; background: linear-gradient(160deg, #51648f, #23294a); }
body, .card { font: 15px/1.25 Inter, "Helvetica Neue", Arial, sans-serif; }
.card { margin-bottom: 12px; border-radius: 24px; background: #f4f6fbee; color: #10131a; }
.dark { background: #1d1d2eee; color: #fff; }
.HStackView { display: flex; align-items: center; min-width: 0; width: 100%; }
.HStackView > .HStackView { width: auto; } .VStackView { display: flex; flex-direction: column; min-width: 0; }
.VStackView > .bar, .VStackView > .HStackView { align-self: stretch; } .HStackView > .VStackView { flex: 0 1 auto; }
.card > .VStackView { align-items: stretch !important; } .SpacerView { flex: 1; } .LinkView { flex: 1; display: flex; }
.LinkView .text { display: flex; align-items: center; justify-content: center; }
.text { display: -webkit-box; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; text-align: start; }
.CapsuleView { flex: 1; border-radius: 99px; background: var(--shape); }
.bar { height: 6px; border-radius: 99px; background: #8e8e9355; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--tint); }
svg { flex: none; width: 1em; height: 1em; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
`;

/** The states in the documentation's picture, in light and dark. */
const SHOWN = [
	'segmented_progress-changed',
	'progress-changed',
	'timer-down',
	'metrics-started',
	'door-asked',
];

/** A banner as the tests have saved it. */
export function bannerOf(name: string): Node {
	const file = join(APP, `.cache/trees/${name}.json`);
	return (JSON.parse(readFileSync(file, 'utf8')) as { banner: Node }).banner;
}

/** Banners below each other. */
const pageOf = (cards: ReadonlyArray<{ banner: Node; look: string }>) => {
	const drawn = cards.map(
		({ banner, look }) => `<div class="card ${look}">${htmlOf(banner)}</div>`,
	);
	return `<style>${CSS}</style>${drawn.join('')}`;
};

async function onPage<T>(html: string, use: (page: Page) => Promise<T>): Promise<T> {
	await using browser = await launchBrowser();
	const viewport = { width: 422, height: 100 };
	const page = await browser.newPage({ viewport, deviceScaleFactor: 2 });
	await page.setContent(html, { timeout: HANGS_MS });
	return await use(page);
}

/** The heights of banners as they are drawn here: about those on a phone, whose fonts differ. */
export const heightsOf = (banners: readonly Node[]): Promise<number[]> =>
	onPage(pageOf(banners.map((banner) => ({ banner, look: 'light' }))), (page) =>
		page.locator('.card').evaluateAll((cards) => cards.map((card) => card.clientHeight)),
	);

const preview = () =>
	pageOf(
		SHOWN.map((name, index) => {
			const look = index % 2 === 0 ? 'light' : 'dark';
			return { banner: bannerOf(`${name}-${look}`), look };
		}),
	);

const PICTURE = join(APP, '../docs/images/iphone-preview.png');

/** Where chunks may follow in a PNG: after its signature and header. */
const HEADER_BYTES = 33;

/** The picture's comment: a hash of its HTML. Pixels cannot be compared, as each machine has its own fonts. */
const commentOn = (html: string) =>
	Buffer.from(`tEXtComment\0${createHash('sha256').update(html).digest('hex')}`);

/** True if the documentation's picture was drawn from what the tests have saved. */
export const isPictureCurrent = () => readFileSync(PICTURE).includes(commentOn(preview()));

if (import.meta.main) {
	const picture = await onPage(preview(), (page) => page.locator('body').screenshot());
	const comment = commentOn(preview());
	const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(comment.length - 'tEXt'.length);
	checksum.writeUInt32BE(crc32(comment));
	const [before, after] = [picture.subarray(0, HEADER_BYTES), picture.subarray(HEADER_BYTES)];
	writeFileSync(PICTURE, Buffer.concat([before, length, comment, checksum, after]));
}
