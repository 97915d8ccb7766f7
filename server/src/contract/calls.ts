import type { z } from 'zod';

/**
 * What a call takes and answers. Path parameters, query and body are checked against their schemas; a call without
 * `answer` is answered `{success: true}`.
 */
export interface Call {
	params?: z.ZodType;
	query?: z.ZodType;
	body?: z.ZodType;
	answer?: z.ZodType;
}

/** What the server reads of a call, after the check. */
export interface Received<C extends Call> {
	params: C extends { params: infer S extends z.ZodType } ? z.output<S> : undefined;
	query: C extends { query: infer S extends z.ZodType } ? z.output<S> : undefined;
	body: C extends { body: infer S extends z.ZodType } ? z.output<S> : undefined;
}

/** What a call is answered. */
export type Answered<C extends Call> = C extends { answer: infer S extends z.ZodType }
	? z.output<S>
	: { success: true };
