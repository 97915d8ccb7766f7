#!/usr/bin/env node
// Runs the built program; in words that any Node.js can read, says when it is too old for it: the
// store's native part would crash it without one.
import { existsSync, readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = Number.parseInt(engines.node.replace('>=', ''), 10);
const program = new URL('../dist/main.js', import.meta.url);

/** @param {string} line */
function refuse(line) {
	process.stderr.write(`${line}\n`);
	process.exitCode = 1;
}

if (Number.parseInt(process.versions.node, 10) < needed) {
	refuse(
		`beckon-server needs Node.js ${needed} or newer, and this is ${process.version}. In a checkout of Beckon, npx beckon-server finds the right one.`,
	);
} else if (existsSync(program)) await import(program.href);
else refuse('The program is not built yet. Run: npm run build -w server');
