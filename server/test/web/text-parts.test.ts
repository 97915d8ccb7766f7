import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textParts } from '../../web/device/text-parts.ts';

/** The parts that can be tapped, as `text → href`, or `text (code)`. */
const tappable = (text: string) =>
	textParts(text).flatMap(({ text, href, isCode }) => {
		if (isCode) return `${text} (code)`;
		return href === undefined ? [] : `${text} → ${href}`;
	});

describe('the parts of a text that can be tapped', () => {
	it.each<[string, string[]]>([
		[
			'See https://example.com/a?b=1#c.',
			['https://example.com/a?b=1#c → https://example.com/a?b=1#c'],
		],
		['(http://example.com/x)', ['http://example.com/x → http://example.com/x']],
		[
			'https://en.wikipedia.org/wiki/Oven_(disambiguation)',
			[
				'https://en.wikipedia.org/wiki/Oven_(disambiguation) → https://en.wikipedia.org/wiki/Oven_(disambiguation)',
			],
		],
		['javascript:alert(1) or example.com', []],
		['3 000 000 people', []],
		['Write to ada@example.com!', ['ada@example.com → mailto:ada@example.com']],
		['Call +49 30 1234567 now', ['+49 30 1234567 → tel:+49301234567']],
		[
			'Call (030) 123456 or 0170-1234567',
			['(030) 123456 → tel:030123456', '0170-1234567 → tel:01701234567'],
		],
		['555-123-4567', ['555-123-4567 → tel:5551234567']],
		['Your code is 4821.', ['4821 (code)']],
		['482913 is your code', ['482913 (code)']],
		['Use ABCD-1234 or X7K9Q2', ['ABCD-1234 (code)', 'X7K9Q2 (code)']],
		['In 2026 we sold 4821 loaves for 1234.50 at 10:30 on 2026-03-01', []],
		['01.02.2026 10:30, 10.0.0.12, 3/4, v1.2.3, 99.95 %', []],
		['SHA-256, UTF-8, PASSED, Build 812', []],
	])('%s', (text, parts) => {
		expect(tappable(text)).toEqual(parts);
	});

	it.each([')', ').', '.'])('are found however long the text is: %j', (piece) => {
		const text = `https://example.com/${piece.repeat(15_900 / piece.length)} `;
		expect(tappable(text)[0]).toMatch(/^https:\/\/example\.com\/.* → https:\/\/example\.com\//);
	});

	it('leave every other character as it was sent', () => {
		const text = fc.oneof(
			fc.string({ unit: 'grapheme' }),
			fc.stringMatching(/^[ -~\n]{0,80}$/),
			fc.stringMatching(
				/^([(]?https?:\/\/[a-z./()]{1,9}[.)] ?|\+?[0-9 -]{1,12}|[A-Z0-9-]{1,9} ?){0,6}$/,
			),
		);
		fc.assert(
			fc.property(text, (text) => {
				expect(
					textParts(text)
						.map((part) => part.text)
						.join(''),
				).toBe(text);
			}),
		);
	});
});
