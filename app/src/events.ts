import { DeviceError } from '../../server/web/device/device-client.ts';
import type { Bridge } from './bridge.ts';
import type { Session } from './session.ts';

interface Answer {
	reader: ReadableStreamDefaultReader<Uint8Array>;
	/** A decoder per stream: a stream may end in the middle of a character. */
	decoder: TextDecoder;
	stop: AbortController;
}

/** The native side of the bridge. */
export function openBridge(session: Session): Bridge {
	const answers = new Map<number, Answer>();
	let id = 0;
	return {
		async send(path, init) {
			const stop = new AbortController();
			try {
				const { status, body } = await session.fetch(path, { ...init, signal: stop.signal });
				id += 1;
				if (body) answers.set(id, { reader: body.getReader(), decoder: new TextDecoder(), stop });
				return { status, id };
			} catch (error) {
				return { status: error instanceof DeviceError ? error.status : 0, id: 0 };
			}
		},
		async next(id) {
			const answer = answers.get(id);
			// After a failure the page reconnects, or says that the server was not reached.
			const { value } = (await answer?.reader.read().catch(() => undefined)) ?? {};
			if (value) return answer!.decoder.decode(value, { stream: true });
			answers.delete(id);
			return null;
		},
		async close(id) {
			answers.get(id)?.stop.abort();
			answers.delete(id);
		},
		load: (key) => session.pageText(key),
		save: (key, text) => session.keepForPage(key, text),
	};
}
