import { project, run } from '../scripts/jest/common.mjs';

/** Tests of the node package. Those in nodes/ run the built nodes in n8n's engine against a server. */
export default {
	...project,
	...run,
	rootDir: '.',
	testMatch: ['<rootDir>/{cli,docs,src,nodes}/**/*.test.ts'],
};
