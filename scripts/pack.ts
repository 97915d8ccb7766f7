import { packNode } from './lib/pack.ts';
import { ROOT } from './lib/root.ts';

const { tarball } = await packNode(ROOT);
process.stdout.write(`${tarball}\n`);
