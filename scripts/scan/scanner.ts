import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT } from '../lib/root.ts';

const SCANNER = path.join(ROOT, 'node_modules/@n8n/scan-community-package');

/** Finds what the scanner itself finds: it pins its own eslint and its own rules. */
const installed = createRequire(path.join(SCANNER, 'package.json'));

interface Verdict {
	passed: boolean;
	message?: string;
	details?: string;
}

interface Scanner {
	analyzePackage: (folder: string, patterns: readonly string[]) => Promise<Verdict>;
	buildScanConfig: () => Promise<object[]>;
	/** The files that n8n checks in a package's source. */
	SOURCE_FILE_PATTERNS: readonly string[];
}

interface Message {
	line: number;
	column: number;
	ruleId: string | null;
	message: string;
}

interface FileResult {
	filePath: string;
	messages: Message[];
}

interface Linter {
	lintFiles: (patterns: readonly string[]) => Promise<FileResult[]>;
}

/** The files that n8n checks in a published tarball. */
export const TARBALL_FILE_PATTERNS = ['**/*.js', 'package.json'];

/** @throws if the scanner is not installed */
export async function loadScanner(): Promise<Scanner> {
	const main = path.join(SCANNER, 'scanner/scanner.mjs');
	return (await import(pathToFileURL(main).href)) as Scanner;
}

/** The verdict of n8n's own command. It lets warnings pass. */
export async function verdictOf(
	scanner: Scanner,
	folder: string,
	patterns: readonly string[],
): Promise<string[]> {
	const { passed, message, details } = await scanner.analyzePackage(folder, patterns);
	// "No files found to analyze" passes too: nothing was checked, so nothing was verified.
	if (passed && message === undefined) return [];
	return [message ?? 'The verification failed without a reason', ...(details ? [details] : [])];
}

/** Every error and warning of n8n's rules, in n8n's mode: inline comments disable nothing. */
export async function complaintsAbout(
	scanner: Scanner,
	folder: string,
	patterns: readonly string[],
): Promise<string[]> {
	const { ESLint } = installed('eslint') as { ESLint: new (options: object) => Linter };
	const linter = new ESLint({
		cwd: folder,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await scanner.buildScanConfig(),
	});
	const results = await linter.lintFiles(patterns);
	return results.flatMap(({ filePath, messages }) =>
		messages.map(
			({ line, column, ruleId, message }) =>
				`${path.relative(folder, filePath)}:${line}:${column} ${message} (${ruleId ?? 'parser'})`,
		),
	);
}
