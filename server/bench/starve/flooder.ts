import { type FloodName, FLOODS, PREPARATIONS } from './floods.ts';

/** One flood, in a separate process so that it slows only the server. Says when it begins; ends on any message. */
const [url = '', name = ''] = process.argv.slice(2);
const answers: Record<string, number> = {};
let isOver = false;
process.once('message', () => (isOver = true));
await PREPARATIONS[name as FloodName]?.(url);
process.send?.('begun');
await FLOODS[name as FloodName]({
	url,
	isOver: () => isOver,
	count: (status) => (answers[status] = (answers[status] ?? 0) + 1),
	measured: (what, value) => (answers[what] = Math.round(value)),
});
process.send?.(answers, () => process.exit(0));
