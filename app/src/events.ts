import type { Bridge } from './bridge.ts';
import { CallError, type Session } from './session.ts';

interface OpenStream {
	reader: ReadableStreamDefaultReader<Uint8Array>;
	/** Its own: a stream may end within a letter. */
	decoder: TextDecoder;
	stop: AbortController;
}

/** The native side of the bridge. */
export function openBridge(session: Session, fetchStream: typeof fetch): Bridge {
	const open = new Map<number, OpenStream>();
	let opened = 0;
	return {
		async call(path, method, body) {
			try {
				return { status: 200, body: await session.raw(path, method, body ?? undefined) };
			} catch (error) {
				if (!(error instanceof CallError)) throw error;
				return { status: error.status, body: JSON.stringify({ message: error.message }) };
			}
		},
		async openEvents(path) {
			const pairing = await session.pairing();
			if (!pairing) return { status: 401, id: 0 };
			const stop = new AbortController();
			const headers = { authorization: `Bearer ${pairing.token}`, accept: 'text/event-stream' };
			try {
				const url = `${pairing.origin}/device${path}`;
				const { status, body } = await fetchStream(url, { headers, signal: stop.signal });
				opened += 1;
				if (body) open.set(opened, { reader: body.getReader(), decoder: new TextDecoder(), stop });
				return { status, id: opened };
			} catch {
				return { status: 0, id: 0 };
			}
		},
		async nextEvents(id) {
			const stream = open.get(id);
			try {
				const { value } = (await stream?.reader.read()) ?? {};
				return value ? stream!.decoder.decode(value, { stream: true }) : null;
			} catch {
				// The page reconnects.
				return null;
			}
		},
		async closeEvents(id) {
			open.get(id)?.stop.abort();
			open.delete(id);
		},
		load: (key) => session.pageText(key),
		save: (key, text) => session.keepForPage(key, text),
	};
}
