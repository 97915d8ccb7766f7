/** The execution was cancelled while the node waited: for its turn, for the server, or for a person. */
export class WaitCancelled extends Error {
	constructor() {
		super('The execution was canceled while the node waited');
	}
}

/**
 * The cancellation of an execution, for one run of a node. It listens to n8n's signal once, however many items wait,
 * because a signal scans all of its listeners whenever one is added; and only while one waits, because an execution
 * can have thousands of runs.
 */
export class Cancellation {
	private readonly signal: AbortSignal | undefined;

	private readonly callbacks = new Set<() => void>();

	private readonly tell = (): void => {
		for (const callback of [...this.callbacks]) callback();
	};

	constructor(signal?: AbortSignal) {
		this.signal = signal;
	}

	get isCancelled(): boolean {
		return this.signal?.aborted === true;
	}

	/** @returns a function that removes the callback, which must be called once nothing waits for it */
	onCancel(callback: () => void): () => void {
		if (this.callbacks.size === 0) this.signal?.addEventListener('abort', this.tell);
		this.callbacks.add(callback);
		return () => {
			this.callbacks.delete(callback);
			if (this.callbacks.size === 0) this.signal?.removeEventListener('abort', this.tell);
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
