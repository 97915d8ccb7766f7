import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { packNode } from '../lib/pack.ts';
import { ROOT } from '../lib/root.ts';
import { checkFiles, checkManifest, checkSize } from './contents.ts';
import { complaintsAbout, loadScanner, TARBALL_FILE_PATTERNS, verdictOf } from './scanner.ts';

interface Check {
	name: string;
	/** Problems found; empty if all is well. */
	findings: string[];
}

const say = (line: string) => process.stdout.write(`${line}\n`);

/** n8n's verification of a published package, run before publishing. */
async function scan(folder: string): Promise<Check[]> {
	const scanner = await loadScanner();
	const packed = await packNode(folder);
	execFileSync('tar', ['-xzf', packed.tarball, '-C', folder]);
	const unpacked = path.join(folder, 'package');
	const source = scanner.SOURCE_FILE_PATTERNS;
	return [
		{
			name: "n8n's analysis of the tarball",
			findings: await verdictOf(scanner, unpacked, TARBALL_FILE_PATTERNS),
		},
		{
			name: "n8n's analysis of the source",
			findings: await verdictOf(scanner, ROOT, source),
		},
		{
			name: 'no warning in the tarball',
			findings: await complaintsAbout(scanner, unpacked, TARBALL_FILE_PATTERNS),
		},
		{
			name: 'no warning in the source',
			// Includes the transport, which n8n itself checks only in its built form.
			findings: await complaintsAbout(scanner, ROOT, [...source, 'src/**/*.ts']),
		},
		{
			name: `${packed.files.length} files in the tarball, each of them expected`,
			findings: checkFiles(ROOT, packed),
		},
		{ name: `${packed.bytes} bytes packed`, findings: checkSize(packed) },
		{ name: 'no runtime dependency', findings: checkManifest(unpacked, packed) },
	];
}

const folder = mkdtempSync(path.join(tmpdir(), 'beckon-scan-'));
try {
	const checks = await scan(folder);
	for (const { name, findings } of checks) {
		say(`${findings.length === 0 ? '✓' : '✗'} ${name}`);
		for (const finding of findings) say(`  ${finding}`);
	}
	const failed = checks.filter(({ findings }) => findings.length > 0).length;
	say(`Scan: ${checks.length - failed} passed, ${failed} failed`);
	if (failed > 0) process.exitCode = 1;
} catch (error) {
	process.stderr.write(
		`The scan failed: ${error instanceof Error ? error.message : String(error)}\n`,
	);
	process.exitCode = 1;
} finally {
	rmSync(folder, { recursive: true, force: true });
}
