import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

const FRAMES_A_SECOND = 10;

/** GitHub's pages load pictures at once, whatever their size. */
const MAX_BYTES = 3_000_000;

/** Qualities of the WebP, each tried in turn until the film is small enough. */
const QUALITIES = [75, 60, 45];

/**
 * Puts two recordings beside each other and writes an animated WebP, which GitHub plays without a click.
 * @throws if ffmpeg is missing or fails, or if the film is too large at any quality
 */
export async function encode(lists: readonly [string, string], film: string): Promise<number> {
	const inputs = lists.flatMap((list) => ['-f', 'concat', '-safe', '0', '-i', list]);
	for (const quality of QUALITIES) {
		const { stderr } = await run('ffmpeg', [
			...['-y', '-loglevel', 'error', ...inputs],
			...['-filter_complex', `[0][1]hstack=inputs=2,fps=${FRAMES_A_SECOND}`],
			...['-c:v', 'libwebp_anim', '-quality', String(quality), '-compression_level', '4'],
			...['-loop', '0', film],
		]).catch((error: unknown) => {
			const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
			throw isMissing
				? new Error('The film needs ffmpeg. Install it (Debian: apt-get install ffmpeg).')
				: error;
		});
		if (stderr !== '') process.stderr.write(stderr);
		const { size } = statSync(film);
		if (size < MAX_BYTES) return size;
	}
	throw new Error(`The film is larger than ${MAX_BYTES} bytes`);
}
