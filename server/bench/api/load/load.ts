import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Job, Measured } from './generator.ts';
import type { Target } from './traffic.ts';

/** The benchmark's side of one target's load generator. */
export class Load {
	readonly #child: ChildProcess;

	constructor(target: Target) {
		this.#child = fork(join(import.meta.dirname, 'generator.ts'), { execArgv: ['--no-warnings'] });
		this.#child.send({ target });
	}

	/** @throws if a request was answered with a status other than 200 */
	async run(job: Job): Promise<Measured> {
		const answer = new Promise<Measured>((resolve, reject) => {
			this.#child.once('message', (message: { measured: Measured } | { error: string }) => {
				this.#child.removeAllListeners('exit');
				if ('measured' in message) resolve(message.measured);
				else reject(new Error(message.error));
			});
			this.#child.once('exit', () => reject(new Error('The load generator ended')));
		});
		this.#child.send({ job });
		return answer;
	}

	close(): void {
		this.#child.removeAllListeners('exit');
		this.#child.disconnect();
	}
}
