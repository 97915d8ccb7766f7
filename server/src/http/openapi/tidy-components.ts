type Json = unknown;

const PREFIX = '#/components/schemas/';

function mapRefs(node: Json, rename: (name: string) => string): Json {
	if (Array.isArray(node)) return node.map((entry) => mapRefs(entry, rename));
	if (typeof node !== 'object' || node === null) return node;
	return Object.fromEntries(
		Object.entries(node).map(([key, value]) => [
			key,
			key === '$ref' && typeof value === 'string' && value.startsWith(PREFIX)
				? PREFIX + rename(value.slice(PREFIX.length))
				: mapRefs(value, rename),
		]),
	);
}

function refsIn(node: Json): Set<string> {
	const names = new Set<string>();
	mapRefs(node, (name) => {
		names.add(name);
		return name;
	});
	return names;
}

/**
 * The generator emits every schema twice, for requests (`…Input`) and for answers. Keeps those a path refers
 * to, and gives a schema used in only one form its plain name.
 */
export function tidyComponents<
	T extends { paths?: unknown; components?: { schemas?: Record<string, unknown> } },
>(document: T): T {
	const schemas = document.components?.schemas ?? {};
	const used = refsIn(document.paths);
	for (const name of used) for (const inner of refsIn(schemas[name])) used.add(inner);
	const plainName = (name: string) => {
		const plain = name.replace(/Input$/, '');
		return used.has(plain) && !isEqual(schemas[plain], schemas[`${plain}Input`]) ? name : plain;
	};
	const kept = Object.entries(schemas)
		.filter(([name]) => used.has(name))
		.map(([name, schema]) => [plainName(name), mapRefs(schema, plainName)] as const)
		.sort(([a], [b]) => a.localeCompare(b));
	return {
		...document,
		paths: mapRefs(document.paths, plainName),
		components: { ...document.components, schemas: Object.fromEntries(kept) },
	};
}

/** True if the schemas differ at most in the form of the inner schemas they refer to. */
function isEqual(a: Json, b: Json): boolean {
	const text = (node: Json) => JSON.stringify(mapRefs(node, (name) => name.replace(/Input$/, '')));
	return text(a) === text(b);
}
