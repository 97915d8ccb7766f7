import type { CSSProperties } from 'react';

/** Longer texts with digits, such as a date with words, may break. */
const MAX_NUMERIC_LENGTH = 16;

/** True for a number as people write it, with its signs and currency: it must not break. */
export function isNumeric(text: string): boolean {
	return /\d/.test(text) && text.length <= MAX_NUMERIC_LENGTH;
}

/** The length of a value and its smaller unit, in digits. */
export function textLength(value: string, unit = ''): number {
	return value.length + unit.length + (unit === '' ? 0 : 0.3);
}

/** For the style sheet, which makes a longer value smaller. */
export function lengthStyle(length: number): CSSProperties {
	return { '--length': length } as CSSProperties;
}
