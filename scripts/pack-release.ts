import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { packRelease, readOrigin } from './lib/release.ts';
import { ROOT } from './lib/root.ts';

/** Packs all packages for publishing, into `release/`. Run by the workflow that publishes them. */
const folder = path.join(ROOT, 'release');
mkdirSync(folder, { recursive: true });
const tarballs = await packRelease(folder, readOrigin(process.env));
process.stdout.write(`${tarballs.join('\n')}\n`);
