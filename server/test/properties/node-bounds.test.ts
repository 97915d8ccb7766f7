import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
	BOUNDS,
	MAX_LENGTHS_FILE,
	commandLineBounds,
	nodeBounds,
} from '../../scripts/write-node-bounds.ts';

test('the node has the bounds of the contract (npm run docs writes them)', async () => {
	expect(readFileSync(BOUNDS, 'utf8')).toBe(await nodeBounds());
});

test('the command line cuts texts where the contract does', async () => {
	expect(readFileSync(MAX_LENGTHS_FILE, 'utf8')).toBe(await commandLineBounds());
});
