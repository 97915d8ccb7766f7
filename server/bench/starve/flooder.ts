import { type FloodName, FLOODS } from './floods.ts';

/** One flood, in a separate process so that it slows only the server. Ends on any message. */
const [url = '', name = ''] = process.argv.slice(2);
const answers: Record<string, number> = {};
let isOver = false;
process.once('message', () => (isOver = true));
await FLOODS[name as FloodName]({
	url,
	isOver: () => isOver,
	count: (status) => (answers[status] = (answers[status] ?? 0) + 1),
});
process.send?.(answers, () => process.exit(0));
