type Json = unknown;

interface Content {
	required?: boolean;
	content?: Record<string, { schema: Json }>;
}

export interface Operation {
	method: string;
	path: string;
	/** JSON schemas without references; undefined if no body is required. */
	body: object | undefined;
	response: object;
}

/** The operations of an OpenAPI document, with references resolved. */
export function operationsOf(document: Json): Operation[] {
	const { paths } = document as { paths: Record<string, Record<string, Json>> };
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => {
			const { requestBody, responses } = operation as {
				requestBody?: Content;
				responses: Record<string, Content>;
			};
			return {
				method: method.toUpperCase(),
				path,
				body: requestBody?.required === false ? undefined : schemaIn(document, requestBody),
				response: schemaIn(document, responses['200']) ?? {},
			};
		}),
	);
}

function schemaIn(document: Json, content: Content | undefined): object | undefined {
	const schema = content?.content?.['application/json']?.schema;
	return schema === undefined ? undefined : (writtenOut(document, schema) as object);
}

function writtenOut(document: Json, node: Json): Json {
	if (Array.isArray(node)) return node.map((entry) => writtenOut(document, entry));
	if (typeof node !== 'object' || node === null) return node;
	if ('$ref' in node && typeof node.$ref === 'string') {
		const steps = node.$ref.replace('#/', '').split('/');
		const target = steps.reduce<Json>(
			(found, step) => (found as Record<string, Json>)[step],
			document,
		);
		return writtenOut(document, target);
	}
	return Object.fromEntries(
		Object.entries(node).map(([key, value]) => [key, writtenOut(document, value)]),
	);
}
