import type { ShownMetric } from '../../src/contract/shown.ts';

export interface MetricText {
	value: string;
	/** Shown smaller after the value. */
	unit?: string;
}

/** From here on, a widget has no room for every digit, and they are too many to read at a glance. */
const COMPACT_FROM = 100_000;

/** A number already formatted by its sender, such as `12.50`; `007` is a name. */
const WRITTEN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** Formats a metric widget's value. Text is shown as sent, unless it is a number and the format is numeric. */
export function formatMetric(metric: ShownMetric): MetricText {
	const { format } = metric;
	const isNumber =
		typeof metric.value === 'string' && format !== 'string' && WRITTEN_NUMBER.test(metric.value);
	const value = isNumber ? Number(metric.value) : metric.value;
	const unit = metric.unit ?? undefined;
	if (value === null) return { value: '–' };
	if (typeof value === 'string') return format === 'unit' && unit ? { value, unit } : { value };
	switch (format) {
		case 'percent':
			return { value: formatShare(value), unit: '%' };
		case 'currency':
			return { value: formatCurrency(value, unit) };
		case 'unit':
			return { value: formatNumber(value), unit };
		default:
			return { value: formatNumber(value) };
	}
}

/**
 * Thousands separated, usually at most two decimals; large numbers are shortened (1.2M), and never rounded up. Only
 * whole numbers look whole, and only 0 is shown as 0.
 */
export function formatNumber(value: number): string {
	return value.toLocaleString([], numberOptions(value));
}

function numberOptions(value: number): Intl.NumberFormatOptions {
	const size = Math.abs(value);
	if (size >= COMPACT_FROM)
		return { notation: 'compact', maximumFractionDigits: 1, roundingMode: 'trunc' };
	if (size > 0 && size < 0.1) return { maximumSignificantDigits: 3 };
	return { maximumFractionDigits: fractionDigits(value, size < 1 ? 3 : 2) };
}

/** Further decimals may be rounding errors: 0.1 + 0.2 must not become 0.30000000000000004. */
const MAX_DIGITS = 6;

/** Decimals: at least `least`, and as many as distinguish the value from a whole number. */
function fractionDigits(value: number, least: number): number {
	const toWhole = Math.abs(value - Math.round(value));
	const needed = toWhole === 0 ? 0 : Math.ceil(-Math.log10(toWhole));
	return needed <= MAX_DIGITS ? Math.max(least, needed) : least;
}

/** The number with all of its digits, for places with room for them. A double is exact to 15 digits. */
export function formatExactly(value: number): string {
	return value.toLocaleString([], { maximumSignificantDigits: 15 });
}

/** A percentage without its sign. Only 0 is shown as 0, and only 100 as 100. */
export function formatShare(percentage: number): string {
	if (Math.abs(percentage) >= COMPACT_FROM) return formatNumber(percentage);
	return percentage.toLocaleString([], { maximumFractionDigits: shareDigits(percentage, 2) });
}

/** 42 % as the browser's language writes it, with decimals only where it would otherwise be 0 % or 100 %. */
export function formatPercent(percentage: number): string {
	const maximumFractionDigits = shareDigits(percentage, 0);
	return (percentage / 100).toLocaleString([], { style: 'percent', maximumFractionDigits });
}

/** Decimals: at least `least`, and as many as distinguish a share from 0 and 100. */
function shareDigits(percentage: number, least: number): number {
	const toEnd = Math.min(Math.abs(percentage), Math.abs(100 - percentage));
	if (toEnd === 0 || toEnd > 0.5) return least;
	return Math.min(Math.max(least, Math.ceil(-Math.log10(toEnd))), 15);
}

/** `unit` may be an ISO code (EUR), which goes where the browser's language puts it, or a sign (€). */
function formatCurrency(value: number, unit = ''): string {
	const amount = currencyOptions(value);
	if (/^[A-Za-z]{3}$/.test(unit)) {
		return value.toLocaleString([], {
			style: 'currency',
			currency: unit.toUpperCase(),
			...amount,
		});
	}
	return `${value < 0 ? '-' : ''}${unit}${Math.abs(value).toLocaleString([], amount)}`;
}

/** Shows cents only if there are any. */
function currencyOptions(value: number): Intl.NumberFormatOptions {
	if (Math.abs(value) >= COMPACT_FROM) return numberOptions(value);
	if (value !== 0 && Math.abs(value) < 0.01) return numberOptions(value);
	const digits = Number.isInteger(value) ? 0 : fractionDigits(value, 2);
	return { minimumFractionDigits: digits, maximumFractionDigits: digits };
}
