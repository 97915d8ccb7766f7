import { project, run } from '../scripts/jest/common.mjs';

/** Tests of the node package. Those in nodes/ run the built nodes in n8n's engine against a server. */
export default {
	...project,
	...run,
	rootDir: '.',
	// Not n8n/, where n8n itself may be installed at the same time.
	roots: ['cli', 'docs', 'src', 'nodes'].map((folder) => `<rootDir>/${folder}`),
};
