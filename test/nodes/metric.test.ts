import { onlyItem, startBench, type Bench } from './bench.ts';

const setValue = { resource: 'metric', operation: 'setValue', key: 'cpu.load' };

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

async function metricOnPhone(key = 'cpu.load') {
	const { metrics } = await bench.phone.snapshot();
	return metrics.find((metric) => metric.key === key);
}

test('a value reaches the widget', async () => {
	const run = await bench.run({ ...setValue, value: '={{ 42.5 }}' });

	expect(onlyItem(run).json).toEqual({ success: true, key: 'cpu.load', value: 42.5 });
	expect(await metricOnPhone()).toMatchObject({ key: 'cpu.load', value: 42.5 });
});

test.each([
	['1299.5', 1299.5],
	['-3', -3],
	['007', '007'],
	['3 of 5', '3 of 5'],
])('%j is sent as %j', async (value, sent) => {
	onlyItem(await bench.run({ ...setValue, value }));

	expect(await metricOnPhone()).toMatchObject({ value: sent });
});

test('an older value than the stored one changes nothing', async () => {
	await bench.run({ ...setValue, value: 'new' });

	const run = await bench.run({
		...setValue,
		value: 'old',
		options: { timestamp: '2020-01-01T00:00:00Z' },
	});

	expect(onlyItem(run).json).toMatchObject({ success: true, value: 'old' });
	expect(await metricOnPhone()).toMatchObject({ value: 'new' });
});

// Each is a day later than the previous one: an older one would change nothing.
test.each([
	['an ISO text with an offset', '2020-01-01T10:30:00+01:00', '2020-01-01T09:30:00.000Z'],
	[
		'a luxon DateTime',
		'={{ DateTime.fromISO("2020-01-02T09:30:00Z") }}',
		'2020-01-02T09:30:00.000Z',
	],
	['a Date', '={{ new Date("2020-01-03T09:30:00Z") }}', '2020-01-03T09:30:00.000Z'],
	['Unix seconds', '={{ 1578130200 }}', '2020-01-04T09:30:00.000Z'],
	['Unix milliseconds', '={{ 1578216600000 }}', '2020-01-05T09:30:00.000Z'],
])('the moment of measuring is taken as %s', async (_form, timestamp, measuredAt) => {
	const key = 'revenue.today';

	onlyItem(await bench.run({ ...setValue, key, value: '1', options: { timestamp } }));

	const { measured_at: stored } = (await metricOnPhone(key))!;
	expect(new Date(stored ?? 0).toISOString()).toBe(measuredAt);
});
