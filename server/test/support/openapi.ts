import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';

export interface OpenApi {
	openapi: string;
	paths: Record<string, Record<string, any>>;
	components: { schemas: Record<string, any> };
}

interface Injectable {
	inject(options: InjectOptions): Promise<LightMyRequestResponse>;
}

/** The published document. */
export async function readOpenApi(app: Injectable): Promise<OpenApi> {
	return (await app.inject({ method: 'GET', url: '/api/openapi.json' })).json<OpenApi>();
}

/** The validator of a schema inside the document, by its JSON pointer. */
export function compilePointer(ajv: Ajv2020, pointer: string[]): ValidateFunction {
	const escaped = pointer.map((part) =>
		encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
	);
	return ajv.compile({ $ref: `openapi#/${escaped.join('/')}` });
}

export function ajvOf(document: OpenApi): Ajv2020 {
	const ajv = new Ajv2020({ strict: false, allErrors: true });
	(formats as unknown as (ajv: Ajv2020) => void)(ajv);
	ajv.addSchema(document, 'openapi');
	return ajv;
}

function pathTemplate(document: OpenApi, path: string): string | undefined {
	return Object.keys(document.paths).find((template) =>
		new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path.split('?', 1)[0] ?? ''),
	);
}

export type AnswerCheck = (
	method: string,
	path: string,
	answer: { status: number; body: unknown },
) => void;

/** Fails if an answer of the public API disagrees with the published OpenAPI document. */
export function createAnswerCheck(document: OpenApi): AnswerCheck {
	const ajv = ajvOf(document);
	const compiled = new Map<string, ValidateFunction>();
	return (method, path, answer) => {
		const template = pathTemplate(document, path);
		const operation = template && document.paths[template]?.[method.toLowerCase()];
		if (!operation) return;
		const status = String(answer.status);
		const name = `${method} ${template} ${status}`;
		if (!operation.responses[status])
			throw new Error(`${name} is not in the OpenAPI: ${JSON.stringify(answer.body)}`);
		let validate = compiled.get(name);
		if (!validate) {
			validate = compilePointer(ajv, [
				...['paths', template, method.toLowerCase()],
				...['responses', status, 'content', 'application/json', 'schema'],
			]);
			compiled.set(name, validate);
		}
		if (!validate(answer.body)) {
			throw new Error(
				`${name}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(answer.body)}`,
			);
		}
	};
}
