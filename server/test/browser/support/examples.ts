import type { Bench } from './bench.ts';
import type { Api } from './server.ts';

export interface ExampleMetric {
	key: string;
	name: string;
	format: string;
	unit?: string;
	value: number | string;
	/** The value as the widget writes it. */
	shows: string;
}

/** A morning at a bakery: every kind of thing a phone can show. */
export const METRICS: ExampleMetric[] = [
	{
		key: 'revenue',
		name: 'Revenue today',
		format: 'currency',
		unit: 'EUR',
		value: 1248.5,
		shows: '€1,248.50',
	},
	{ key: 'orders', name: 'Orders', format: 'number', value: 318, shows: '318' },
	{ key: 'oven', name: 'Oven 2', format: 'unit', unit: '°C', value: 231.5, shows: '231.5°C' },
	{ key: 'load', name: 'CPU load', format: 'percent', value: 42, shows: '42%' },
	{ key: 'build', name: 'Build', format: 'string', value: 'passing', shows: 'passing' },
];

export const DEPLOY = {
	type: 'segmented_progress',
	title: 'Deploy shop 4.2.0',
	subtitle: 'Running the migrations',
	number_of_steps: 5,
	current_step: 3,
	color: 'green',
	step_colors: ['green', 'green', 'lime'],
	icon: 'shippingbox.fill',
	badge: { title: 'production', color: 'magenta' },
};

export const SERVER = {
	type: 'metrics',
	title: 'web-1',
	subtitle: 'Frankfurt',
	icon: { symbol: 'server.rack', color: 'cyan' },
	color: 'cyan',
	metrics: [
		{ label: 'CPU', value: 42, unit: '%', color: 'green' },
		{ label: 'Memory', value: 78, unit: '%', color: 'orange' },
		{ label: 'Requests', value: 1240, unit: '/s', color: 'blue' },
	],
};

export const BREAD = {
	type: 'timer',
	title: 'Sourdough',
	subtitle: 'Oven 2',
	icon: { symbol: 'flame.fill', color: 'orange' },
	color: 'orange',
	duration_seconds: 1500,
};

export const BACKUP = {
	type: 'progress',
	title: 'Nightly backup',
	subtitle: 'photos → archive',
	value: 128.6,
	upper_limit: 200,
	color: 'blue',
	icon: 'externaldrive.fill',
};

export const EURO = {
	type: 'value',
	title: 'EUR / USD',
	subtitle: 'since midnight',
	value: '1.0842',
	color: 'lime',
	icon: 'chart.line.uptrend.xyaxis',
	badge: { title: '+0.4 %', color: 'green' },
};

export const SALES = {
	type: 'stats',
	title: 'Sales today',
	color: 'purple',
	icon: 'cart.fill',
	metrics: [
		{ label: 'Orders', value: 318 },
		{ label: 'Revenue', value: '€ 12.4k', color: 'green' },
		{ label: 'Returns', value: 3, color: 'red' },
	],
};

export const WATER = {
	type: 'alert',
	title: 'Water in the cellar',
	message: 'Sensor 3 reports 12 mm. The pump was started automatically.',
	color: 'red',
	icon: 'drop.fill',
	badge: { title: 'critical', color: 'red' },
};

/** Creates the metrics; the public API can only set their values. */
export async function createMetrics(
	{ server, account }: Bench,
	metrics: ExampleMetric[],
): Promise<void> {
	for (const { key, name, format, unit } of metrics) {
		const words = ['--account', account, '--key', key, '--name', name, '--format', format];
		if (unit !== undefined) words.push('--unit', unit);
		await server.command('metric', 'create', ...words);
	}
}

/** The contents of README's picture. */
export async function showcase(api: Api): Promise<void> {
	await api.stream('bread', BREAD);
	await api.stream('deploy', DEPLOY, {
		action: { title: 'Open log', type: 'open_url', url: 'https://example.com/log' },
		secondary_action: { title: 'Roll back', type: 'open_url', url: 'https://example.com/rollback' },
	});
	await api.stream('server', SERVER);
	await api.push({
		title: 'New order: €48.20',
		subtitle: '2 × Sourdough, 1 × Rye',
		message: 'Pick-up tomorrow at 8:00.',
		media: 'https://example.com/bread.png',
		badge: 3,
	});
	await api.metric('revenue', 1248.5);
	await api.metric('orders', 318);
	await api.metric('oven', 231.5);
}
