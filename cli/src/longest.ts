/** The most characters of a text, by its path in a request. Written from the server's contract by server/scripts/write-node-bounds.ts: `npm run docs`. */
export const MAX_LENGTHS: Readonly<Record<string, number>> = {
	title: 255,
	message: 16000,
	subtitle: 255,
	'content_state.title': 255,
	'content_state.subtitle': 255,
	'content_state.message': 4000,
	'alert.body': 4000,
};
