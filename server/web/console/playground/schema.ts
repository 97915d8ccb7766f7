/** The part of JSON Schema that the published OpenAPI document uses for requests. */
export interface Schema {
	$ref?: string;
	description?: string;
	type?: string;
	format?: string;
	const?: string;
	enum?: readonly string[];
	properties?: Record<string, Schema>;
	required?: readonly string[];
	items?: Schema;
	oneOf?: readonly Schema[];
	anyOf?: readonly Schema[];
	maxLength?: number;
	maxItems?: number;
}

export interface OpenApiDocument {
	paths: Record<string, Record<string, { requestBody?: RequestBody }>>;
	components: { schemas: Record<string, Schema> };
}

interface RequestBody {
	content: Record<string, { schema: Schema }>;
}

/** The schema that `node` refers to; the reference's own description takes precedence. */
export function resolved({ components }: OpenApiDocument, node: Schema): Schema {
	const name = node.$ref?.split('/').at(-1);
	if (name === undefined) return node;
	const { $ref: _ref, ...own } = node;
	return { ...components.schemas[name], ...own };
}

/** The schema of a request's body. */
export function bodySchema(document: OpenApiDocument, method: string, path: string): Schema {
	const body = document.paths[path]?.[method.toLowerCase()]?.requestBody;
	const schema = body?.content['application/json']?.schema;
	if (!schema) throw new Error(`The server describes no ${method} ${path}`);
	return resolved(document, schema);
}
