import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { BOUNDS, nodeBounds } from '../../scripts/write-node-bounds.ts';

test('the node has the bounds of the contract (npm run docs writes them)', async () => {
	expect(readFileSync(BOUNDS, 'utf8')).toBe(await nodeBounds());
});
