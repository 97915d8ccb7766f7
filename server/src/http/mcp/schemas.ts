import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * A schema of the contract as models get it: without references, and in the words that OpenAI's strict mode, Gemini and
 * Anthropic all accept, since some of them refuse every tool for one word. The call checks what is left out, such as the
 * length of a text.
 * @param io of an input, objects with any fields are left out, and objects in unions but the first, which strict mode
 *   does not have. An output has no descriptions: models read what they get
 * @param without names of fields to leave out, wherever they are
 */
export function toToolSchema(
	schema: z.ZodType,
	io: 'input' | 'output',
	without: readonly string[] = [],
): JsonSchema {
	const { $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
	const isInput = io === 'input';

	function simplify({ $ref, ...own }: JsonSchema, above?: string): JsonSchema {
		const given: JsonSchema = { ...$defs[$ref?.slice('#/$defs/'.length) ?? ''], ...own };
		const { type, description, format, const: only, items } = given;
		const types = Array.isArray(type) ? type.map((name) => ({ type: name })) : undefined;
		const union = (given.oneOf ?? given.anyOf ?? types)?.map((part) => simplify(part));
		const texts = typeof only === 'string' ? [only] : given.enum;
		return {
			...(union ? toUnion(union) : { type }),
			...(isInput && description !== undefined && description !== above && { description }),
			...(format === 'date-time' && { format }),
			...(texts && { enum: texts }),
			...(items && { items: simplify(items as JsonSchema) }),
			...(type === 'object' && toObject(given)),
		};
	}

	/** In an input, only the texts and numbers of a union; if it has none, its first object. */
	function toUnion(union: JsonSchema[]): JsonSchema {
		if (!isInput) return { anyOf: union };
		const simple = union.filter(({ type }) => type !== 'object' && type !== 'null');
		return simple.length > 1 ? { anyOf: simple } : (simple[0] ?? union[0] ?? {});
	}

	function toObject({ properties = {}, required = [], description }: JsonSchema): JsonSchema {
		const kept = Object.entries(properties)
			.filter(([name]) => !without.includes(name))
			.map(([name, property]) => [name, simplify(property as JsonSchema, description)] as const)
			.filter(
				([, { type, properties: fields = {} }]) =>
					type !== 'object' || Object.keys(fields).length > 0,
			);
		const names = kept.map(([name]) => name);
		const needed = required.filter((name) => names.includes(name));
		return {
			properties: Object.fromEntries(kept),
			...(needed.length > 0 && { required: needed }),
			...(isInput && { additionalProperties: false }),
		};
	}

	return simplify(root);
}
