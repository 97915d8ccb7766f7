/** The execution was cancelled while a request waited for its turn. */
export class WaitCancelled extends Error {
	constructor() {
		super('The execution was canceled while waiting for the rate limit to reset');
	}
}

/**
 * The cancellation of an execution. It listens to n8n's signal once, however many items wait: a signal
 * scans all of its listeners whenever one is added.
 */
export class Cancellation {
	private readonly signal: AbortSignal | undefined;

	private readonly callbacks = new Set<() => void>();

	constructor(signal?: AbortSignal) {
		this.signal = signal;
		signal?.addEventListener('abort', () => {
			for (const callback of [...this.callbacks]) callback();
		});
	}

	get isCancelled(): boolean {
		return this.signal?.aborted === true;
	}

	/** @returns a function that removes the callback */
	onCancel(callback: () => void): () => void {
		this.callbacks.add(callback);
		return () => {
			this.callbacks.delete(callback);
		};
	}

	/** @throws WaitCancelled as soon as the execution is cancelled, even if the promise is still pending */
	async race<T>(promise: Promise<T>): Promise<T> {
		if (this.isCancelled) throw new WaitCancelled();
		let forget = (): void => undefined;
		const cancelled = new Promise<never>((_resolve, reject) => {
			forget = this.onCancel(() => {
				reject(new WaitCancelled());
			});
		});
		try {
			return await Promise.race([promise, cancelled]);
		} finally {
			forget();
		}
	}
}
