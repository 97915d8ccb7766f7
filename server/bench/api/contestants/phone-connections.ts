import { get } from 'node:http';

/** Connections opened at the same time. */
const AT_ONCE = 50;

process.once('message', ({ url, tokens }: { url: string; tokens: string[] }) => {
	const waiting = [...tokens];
	const connectNext = async () => {
		for (let token = waiting.pop(); token !== undefined; token = waiting.pop())
			await connect(url, token);
	};
	Promise.all(Array.from({ length: AT_ONCE }, connectNext)).then(
		() => process.send?.({}),
		(error: unknown) => process.send?.({ error: String(error) }),
	);
});
process.on('disconnect', () => process.exit());

/** Resolves with the stream's first bytes. */
function connect(url: string, token: string): Promise<void> {
	return new Promise((resolve, reject) => {
		const headers = { authorization: `Bearer ${token}` };
		get(`${url}/device/events`, { agent: false, headers }, (answer) => {
			if (answer.statusCode !== 200) reject(new Error(`A phone was answered ${answer.statusCode}`));
			answer.on('data', () => resolve());
		}).on('error', reject);
	});
}
