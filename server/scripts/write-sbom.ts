import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesIn } from './licenses.ts';

/**
 * Lists the packages inside the built program and its pages, in CycloneDX 1.6 (ECMA-424): they are bundled, so
 * package.json does not name them and `npm audit` sees none of them.
 */
const dist = join(import.meta.dirname, '../dist');
const { name, version } = JSON.parse(
	readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
) as { name: string; version: string };

const purl = (of: string, at: string) => `pkg:npm/${of.replace('@', '%40')}@${at}`;

const notices = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
	/licenses\.(md|txt)$/i.test(file),
);
const components = new Map(
	notices
		.flatMap((file) => packagesIn(readFileSync(join(dist, file), 'utf8')))
		.map((part) => {
			const ref = purl(part.name, part.version);
			const licenses = [{ license: { id: part.license } }];
			const { name, version } = part;
			return [ref, { type: 'library', 'bom-ref': ref, name, version, purl: ref, licenses }];
		}),
);
const own = purl(name, version);
const document = {
	bomFormat: 'CycloneDX',
	specVersion: '1.6',
	version: 1,
	metadata: { component: { type: 'application', 'bom-ref': own, name, version, purl: own } },
	components: [...components.keys()].sort().map((ref) => components.get(ref)),
};
writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(document, undefined, '\t')}\n`);
