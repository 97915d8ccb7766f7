import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { toIssues } from '../contract/issues.ts';
import { invalidRequest } from '../service/refusal.ts';

/** Checks bodies, path parameters and queries against their contract schemas. */
export const requestValidator: FastifySchemaCompiler<z.ZodType> =
	({ schema }) =>
	(input) => {
		const parsed = schema.safeParse(input);
		if (parsed.success) return { value: parsed.data };
		return { error: invalidRequest(toIssues(parsed.error, input)) };
	};
