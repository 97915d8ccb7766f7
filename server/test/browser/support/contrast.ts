import type { Page } from 'playwright-core';

/** A text, and what is behind it. */
export interface Measured {
	text: string;
	/** The lowest contrast of WCAG 2.2 between the text's color and a pixel behind it. */
	contrast: number;
	/** True if 3 : 1 suffices: 24 px, or 18.66 px in bold. */
	isLarge: boolean;
}

interface Text {
	text: string;
	/** Red, green, blue and opacity. */
	color: number[];
	isLarge: boolean;
	box: { x: number; y: number; width: number; height: number };
}

/**
 * Measures the contrast of every text in view on the pixels of two pictures: of the page, where its elements
 * are, and of the page without its texts, whose pixels are what is behind them.
 * @param canvas a page of no site, to read the picture with
 */
export async function measureContrast(page: Page, canvas: Page): Promise<Measured[]> {
	const texts = await page.evaluate(findTexts);
	await page.evaluate(() => {
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(
			'*, *::placeholder { color: transparent !important; text-shadow: none !important; transition: none !important; animation: none !important } .glyph { visibility: hidden !important }',
		);
		document.adoptedStyleSheets.push(sheet);
	});
	const picture = await page.screenshot({ scale: 'css' });
	await page.evaluate(() => void document.adoptedStyleSheets.pop());
	return canvas.evaluate(compare, { texts, picture: picture.toString('base64') });
}

/** Runs in the page. */
function findTexts(): Text[] {
	const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
	const toColor = (css: string) => {
		probe.clearRect(0, 0, 1, 1);
		probe.fillStyle = css;
		probe.fillRect(0, 0, 1, 1);
		const [r = 0, g = 0, b = 0, a = 0] = probe.getImageData(0, 0, 1, 1).data;
		return [r, g, b, a / 255];
	};
	const texts: Text[] = [];
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const element = node.parentElement!;
		const text = node.textContent!.trim();
		if (text === '' || element.closest('.visually-hidden, script, style, noscript, option'))
			continue;
		const range = document.createRange();
		range.selectNodeContents(node);
		let opacity = 1;
		let clip = { top: 0, left: 0, bottom: innerHeight, right: innerWidth };
		for (let up: Element | null = element; up; up = up.parentElement) {
			const { opacity: own, overflowY, visibility } = getComputedStyle(up);
			opacity *= visibility === 'hidden' ? 0 : Number(own);
			if (overflowY === 'visible') continue;
			const box = up.getBoundingClientRect();
			// The list fades out at its edges.
			const edge = up.matches('.scroller') ? 28 : 0;
			clip = {
				top: Math.max(clip.top, box.top + edge),
				left: Math.max(clip.left, box.left),
				bottom: Math.min(clip.bottom, box.bottom - edge),
				right: Math.min(clip.right, box.right),
			};
		}
		const { color, fontSize, fontWeight } = getComputedStyle(element);
		const [r = 0, g = 0, b = 0, a = 0] = toColor(color);
		const size = parseFloat(fontSize);
		for (const box of range.getClientRects()) {
			const x = Math.max(box.left, clip.left);
			const y = Math.max(box.top, clip.top);
			const width = Math.min(box.right, clip.right) - x;
			const height = Math.min(box.bottom, clip.bottom) - y;
			if (width < 2 || height < box.height * 0.9 || opacity < 0.05) continue;
			const at = document.elementFromPoint(x + width / 2, y + height / 2);
			// Something else is in front.
			if (!at || !(at.contains(element) || element.contains(at))) continue;
			texts.push({
				text,
				color: [r, g, b, a * opacity],
				isLarge: size >= 24 || (size >= 18.66 && Number(fontWeight) >= 600),
				box: { x, y, width, height },
			});
		}
	}
	return texts;
}

/** Runs in a page of no site. */
async function compare({
	texts,
	picture,
}: {
	texts: Text[];
	picture: string;
}): Promise<Measured[]> {
	const bytes = Uint8Array.from(atob(picture), (char) => char.charCodeAt(0));
	const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
	const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
	context.drawImage(bitmap, 0, 0);
	const channel = (value: number) => {
		const part = value / 255;
		return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	};
	const luminance = (r: number, g: number, b: number) =>
		0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
	return texts.map(({ text, color: [r = 0, g = 0, b = 0, a = 1], isLarge, box }) => {
		const { data } = context.getImageData(
			Math.floor(box.x),
			Math.floor(box.y),
			Math.max(1, Math.floor(box.width)),
			Math.max(1, Math.floor(box.height)),
		);
		let contrast = Infinity;
		for (let index = 0; index < data.length; index += 4) {
			const [br = 0, bg = 0, bb = 0] = data.subarray(index, index + 3);
			const behind = luminance(br, bg, bb);
			const front = luminance(r * a + br * (1 - a), g * a + bg * (1 - a), b * a + bb * (1 - a));
			const ratio = (Math.max(front, behind) + 0.05) / (Math.min(front, behind) + 0.05);
			contrast = Math.min(contrast, ratio);
		}
		return { text, contrast: Math.round(contrast * 100) / 100, isLarge };
	});
}
