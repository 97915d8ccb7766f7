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
			return { value: formatNumber(value), unit: '%' };
		case 'currency':
			return { value: formatCurrency(value, unit) };
		case 'unit':
			return { value: formatNumber(value), unit };
		default:
			return { value: formatNumber(value) };
	}
}

/** Thousands separated, at most two decimals, large numbers shortened (1.2M). */
export function formatNumber(value: number): string {
	return value.toLocaleString([], numberOptions(value));
}

function numberOptions(value: number): Intl.NumberFormatOptions {
	if (Math.abs(value) >= COMPACT_FROM) return { notation: 'compact', maximumFractionDigits: 1 };
	return { maximumFractionDigits: Math.abs(value) < 1 ? 3 : 2 };
}

/** 42 % as the browser's language writes it, without decimals. */
export function formatPercent(percentage: number): string {
	return (percentage / 100).toLocaleString([], { style: 'percent', maximumFractionDigits: 0 });
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

/** Shows cents only if there are any, and not with large amounts. */
function currencyOptions(value: number): Intl.NumberFormatOptions {
	if (Math.abs(value) >= COMPACT_FROM) return numberOptions(value);
	const digits = Number.isInteger(value) || Math.abs(value) >= 10_000 ? 0 : 2;
	return { minimumFractionDigits: digits, maximumFractionDigits: digits };
}
