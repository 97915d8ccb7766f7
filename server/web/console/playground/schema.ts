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
	paths: Record<string, Record<string, { requestBody?: RequestBody; parameters?: Parameter[] }>>;
	components: { schemas: Record<string, Schema> };
}

interface Parameter {
	name: string;
	in: string;
	description?: string;
	schema: Schema;
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

/** The schema of a request's body; for a GET, of its query. */
export function bodySchema(document: OpenApiDocument, method: string, path: string): Schema {
	const operation = document.paths[path]?.[method.toLowerCase()];
	if (operation && method === 'GET') return querySchema(operation.parameters ?? []);
	const schema = operation?.requestBody?.content['application/json']?.schema;
	if (!schema) throw new Error(`The server's OpenAPI document has no ${method} ${path}`);
	return resolved(document, schema);
}

function querySchema(parameters: readonly Parameter[]): Schema {
	const inQuery = parameters.filter((parameter) => parameter.in === 'query');
	return {
		type: 'object',
		properties: Object.fromEntries(
			inQuery.map(({ name, schema, description = '' }) => [name, { ...schema, description }]),
		),
	};
}
