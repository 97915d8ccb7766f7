import type { Random } from './random.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

/** Whole requests that are barely valid; `KEY` is replaced by a valid API key. */
const ODD_REQUESTS: readonly string[] = [
	'',
	'\r\n\r\n',
	'GET',
	'GET / HTTP/0.9\r\n\r\n',
	'GET / HTTP/2.0\r\n\r\n',
	'GET / HTTP/1.0\r\n\r\n',
	'GET  /  HTTP/1.1\r\nHost: x\r\n\r\n',
	'GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n',
	'GET /healthz HTTP/1.1\r\n\r\n',
	'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
	'GET http://evil.example/healthz HTTP/1.1\r\nHost: x\r\n\r\n',
	'GET //healthz HTTP/1.1\r\nHost: x\r\n\r\n',
	'GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n',
	'GET * HTTP/1.1\r\nHost: x\r\n\r\n',
	'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
	'CONNECT localhost:443 HTTP/1.1\r\nHost: x\r\n\r\n',
	'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n',
	'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
	'\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
	'GET / HTTP/1.1\nHost: x\n\n',
	'GET / HTTP/1.1\r\nHost: x\r\nX-Folded: a\r\n b\r\n\r\n',
	'GET / HTTP/1.1\r\nHost: x\r\nNoColon\r\n\r\n',
	'GET / HTTP/1.1\r\nHost: x\r\n: empty\r\n\r\n',
	'GET / HTTP/1.1\r\nHost : x\r\n\r\n',
	'GET / HTTP/1.1\r\nHost: x\r\nX: \u0000\r\n\r\n',
	`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
	`GET / HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(3_000)}\r\n`,
	`GET / HTTP/1.1\r\nHost: x\r\n${'x'.repeat(30_000)}`,
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{"badge":1}',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"badge":1}',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: -1\r\n\r\n{"badge":1}',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 99999999999999999999\r\n\r\n{"badge":1}',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 11\r\nContent-Length: 12\r\n\r\n{"badge":1}',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 11\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n{"badge":1}\r\n0\r\n\r\n',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nb;a=b\r\n{"badge":1}\r\n0\r\nTrailer: x\r\n\r\n',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{"badge":1}',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n{"badge":1}',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n{"badge":1}',
	'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nExpect: 200-maybe\r\nContent-Length: 11\r\n\r\n{"badge":1}',
	`${'POST /api/badge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"badge":1}'.repeat(5)}GARBAGE`,
	'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20),
];

/**
 * Bytes for a separate connection: an odd request, or `good` with bytes changed, left out, doubled or cut
 * off; in one piece or in several.
 */
export function rawPieces(good: Buffer, key: string, random: Random): Buffer[] {
	let content: Buffer = random.chance(0.3)
		? bytes(random.pick(ODD_REQUESTS).replaceAll('KEY', key))
		: Buffer.from(good);
	const changes = random.whole(0, 4);
	for (let change = 0; change < changes && content.length > 0; change += 1)
		content = changed(content, random);
	const pieces: Buffer[] = [];
	const count = random.pick([1, 1, 1, 2, 3, 8]);
	for (let piece = count; piece > 1; piece -= 1) {
		const at = random.whole(0, content.length);
		pieces.push(content.subarray(0, at));
		content = content.subarray(at);
	}
	return [...pieces, content].filter(({ length }) => length > 0);
}

function changed(content: Buffer, random: Random): Buffer {
	const at = random.whole(0, content.length - 1);
	const to = Math.min(content.length, at + random.whole(1, 20));
	const before = content.subarray(0, at);
	switch (random.whole(0, 5)) {
		case 0: {
			const copy = Buffer.from(content);
			copy[at] = random.whole(0, 255);
			return copy;
		}
		case 1:
			return Buffer.concat([before, content.subarray(to)]);
		case 2:
			return Buffer.concat([content.subarray(0, to), content.subarray(at)]);
		case 3:
			return before;
		case 4: {
			const noise = Buffer.from(
				Array.from({ length: random.whole(1, 30) }, () => random.whole(0, 255)),
			);
			return Buffer.concat([before, noise, content.subarray(at)]);
		}
		default:
			return Buffer.concat([
				before,
				bytes(random.pick(['\r\n', '\n', '\r', '\u0000', '\r\n\r\n', ' ', ':', '%', '{"a":'])),
				content.subarray(at),
			]);
	}
}
