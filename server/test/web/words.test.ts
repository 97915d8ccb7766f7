import { describe, expect, it } from '@jest/globals';
import type { ShownMetric } from '../../src/contract/shown.ts';
import { browserName } from '../../web/phone/browser-name.ts';
import { retryDelay } from '../../web/device/event-stream.ts';
import { formatMetric, formatPercent } from '../../web/device/metric-format.ts';
import { relativeTime } from '../../web/device/relative-time.ts';
import { parseLink } from '../../web/phone/stored-device.ts';
import { glyphFor } from '../../web/phone/symbols/symbol-names.ts';
import { uuid } from '../../web/phone/uuid.ts';

describe('formatMetric', () => {
	const metric = (
		format: ShownMetric['format'],
		value: ShownMetric['value'],
		unit: string | null = null,
	) => formatMetric({ key: 'k', name: 'n', format, unit, value, measured_at: null });

	it.each<
		[ShownMetric['format'], ShownMetric['value'], string | null, { value: string; unit?: string }]
	>([
		['number', 1248, null, { value: '1,248' }],
		['number', 0.1234, null, { value: '0.123' }],
		['number', 1_234_567, null, { value: '1.2M' }],
		['number', 999_999, null, { value: '999.9K' }],
		['number', 99.999, null, { value: '99.999' }],
		['number', 0.9999, null, { value: '0.9999' }],
		['number', 0.1 + 0.2, null, { value: '0.3' }],
		['number', 100.000_000_01, null, { value: '100' }],
		['currency', 99.999, 'EUR', { value: '€99.999' }],
		['number', null, null, { value: '–' }],
		['percent', 42.5, null, { value: '42.5', unit: '%' }],
		['number', 0.00012, null, { value: '0.00012' }],
		['percent', 0.02, null, { value: '0.02', unit: '%' }],
		['percent', 99.95, null, { value: '99.95', unit: '%' }],
		['percent', 99.9996, null, { value: '99.9996', unit: '%' }],
		['percent', 100, null, { value: '100', unit: '%' }],
		['currency', 12_345.67, 'EUR', { value: '€12,345.67' }],
		['currency', 0.004, 'EUR', { value: '€0.004' }],
		['currency', 1248.5, 'EUR', { value: '€1,248.50' }],
		['currency', 1248, 'usd', { value: '$1,248' }],
		['currency', 2_400_000, 'EUR', { value: '€2.4M' }],
		['currency', -12.5, '€', { value: '-€12.50' }],
		['currency', 12, null, { value: '12' }],
		['unit', 231.5, '°C', { value: '231.5', unit: '°C' }],
		['unit', 'warm', '°C', { value: 'warm', unit: '°C' }],
		['string', 'all good', null, { value: 'all good' }],
		['percent', 'n/a', null, { value: 'n/a' }],
		['currency', '12.50', 'EUR', { value: '€12.50' }],
		['percent', '-5.0', null, { value: '-5', unit: '%' }],
		['number', '007', null, { value: '007' }],
		['string', '1.10', null, { value: '1.10' }],
	])('%s %s %s', (format, value, unit, text) => {
		expect(metric(format, value, unit)).toEqual(text);
	});
});

describe('formatPercent', () => {
	it.each([
		[0, '0%'],
		[0.02, '0.02%'],
		[0.4, '0.4%'],
		[100 / 3, '33%'],
		[99.49, '99%'],
		[99.5, '99.5%'],
		[50, '50%'],
		[99.7, '99.7%'],
		[99.95, '99.95%'],
		[99.999_99, '99.99999%'],
		[100, '100%'],
	])('%d', (percentage, words) => {
		expect(formatPercent(percentage)).toBe(words);
	});
});

describe('relativeTime', () => {
	const now = Date.parse('2026-03-10T12:00:00Z');
	it.each([
		[-5, 'now'],
		[59, 'now'],
		[60, '1m ago'],
		[3599, '59m ago'],
		[3600, '1h ago'],
		[90_000, 'yesterday'],
		[9 * 86_400, 'Mar 1'],
	])('%d seconds ago is "%s"', (seconds, words) => {
		expect(relativeTime(new Date(now - seconds * 1000).toISOString(), now)).toBe(words);
	});
});

describe('parseLink', () => {
	it('reads a pairing code, in any case and with dashes, or a token', () => {
		expect(parseLink('#code=abcd-1234')).toEqual({ code: 'ABCD1234' });
		expect(parseLink(`#token=bd_${'a'.repeat(43)}`)).toEqual({ token: `bd_${'a'.repeat(43)}` });
	});

	it('ignores everything else', () => {
		expect(parseLink('')).toEqual({});
		expect(parseLink('#code=short')).toEqual({});
		expect(parseLink('#token=<script>')).toEqual({});
	});
});

describe('the name suggested for a phone', () => {
	it.each([
		[
			'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
			'Chrome on Linux',
		],
		[
			'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
			'Safari on iPhone',
		],
		[
			'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:130.0) Gecko/20100101 Firefox/130.0',
			'Firefox on Mac',
		],
		[
			'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36 Edg/140.0',
			'Edge on Windows',
		],
		['Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
		['something else', 'Browser'],
	])('%s', (userAgent, name) => {
		expect(browserName(userAgent)).toBe(name);
	});
});

describe('retryDelay', () => {
	it('grows from a second to half a minute, at least half of it certain', () => {
		const longest = [0, 1, 2, 3, 4, 5, 50].map((failures) => retryDelay(failures, () => 1));
		expect(longest).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
		expect(retryDelay(3, () => 0)).toBe(4000);
	});
});

describe('glyphFor', () => {
	it.each([
		['shippingbox.fill', 'box'],
		['lock.open.fill', 'unlock'],
		['checkmark.circle', 'check'],
		['arrow.triangle.2.circlepath', 'repeat'],
		['keyboard', 'signal'],
		['no.such.symbol', 'signal'],
		['constructor', 'signal'],
	])('%s is drawn as %s', (symbol, glyph) => {
		expect(glyphFor(symbol)).toBe(glyph);
	});
});

describe('uuid', () => {
	it('is a version 4 UUID and different each time', () => {
		expect(uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		expect(uuid()).not.toBe(uuid());
	});
});
