/** `spawn` of Node.js, which on Windows also runs scripts such as npm.cmd. */
declare module 'cross-spawn' {
	export { spawn as default } from 'node:child_process';
}
