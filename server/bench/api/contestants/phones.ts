import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Opens the phones' event streams from a separate process; resolves when all are connected. */
export async function openPhones(url: string, tokens: readonly string[]): Promise<() => void> {
	const child = fork(join(import.meta.dirname, 'phone-connections.ts'), {
		execArgv: ['--no-warnings'],
	});
	child.send({ url, tokens });
	const [message] = (await once(child, 'message')) as [{ error?: string }];
	if (message.error !== undefined) throw new Error(message.error);
	return () => child.disconnect();
}
