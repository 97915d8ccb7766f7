// Installs the packages of the lock file, unless they are installed already. It runs before any
// install, on the machine's own Node, so it uses nothing but Node itself.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'node_modules', '.installed-lock');
const lock = createHash('sha256')
	.update(readFileSync(join(root, 'package-lock.json')))
	.digest('hex');

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) process.exit(0);

console.log('Installing the dependencies; this takes a few minutes the first time …');
const npm = process.env.npm_execpath;
const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
// Not `ci`: it refuses a lock file that lacks optional packages of other platforms, and npm records
// different ones depending on the machine and the registry that wrote the file.
const { status } = spawnSync(command, [...args, 'install', '--no-save'], {
	cwd: root,
	stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
writeFileSync(stamp, lock);
