import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const WEB = join(import.meta.dirname, '../dist/web');

/** Pictures are compressed already. */
const TEXT = /\.(css|html|js|svg|webmanifest)$/;

/** Puts a brotli and a gzip copy beside each text file of the built pages, for the server to send. */
for (const name of readdirSync(WEB, { recursive: true, encoding: 'utf8' })) {
	if (!TEXT.test(name)) continue;
	const file = join(WEB, name);
	const text = readFileSync(file);
	writeFileSync(
		`${file}.br`,
		brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } }),
	);
	writeFileSync(`${file}.gz`, gzipSync(text, { level: constants.Z_BEST_COMPRESSION }));
}
