import { endsWith, HINTS, toLabel, toRank } from './words.ts';
import { bodySchema, type OpenApiDocument, resolved, type Schema } from './schema.ts';

/** A form's values, by body field path: `content_state.title`. */
export type Values = Record<string, unknown>;

export interface Field {
	path: string;
	label: string;
	kind:
		| 'text'
		| 'area'
		| 'number'
		| 'number_or_text'
		| 'boolean'
		| 'select'
		| 'list'
		| 'tags'
		| 'channels'
		| 'json'
		| 'rows';
	hint: string | undefined;
	/** For `select` and `list`: the choices. */
	options: readonly string[];
	/** For `rows`: the fields of one row. */
	columns: readonly Field[];
	/** For `rows`: the maximum number. */
	most: number;
	/** For `rows`: the body has one object, not an array. */
	isSingle: boolean;
	/** For `tags`: an empty array differs from no value. */
	canClear: boolean;
	/** The deciding field, such as a type, and its values with this field; undefined: all. */
	of: { path: string; values: readonly string[] } | undefined;
}

/** The alternatives, if the schema is a choice between objects. */
function readVariants(document: OpenApiDocument, schema: Schema): Schema[] | undefined {
	const variants = schema.oneOf?.map((variant) => resolved(document, variant));
	return variants?.every(({ properties }) => properties) ? variants : undefined;
}

/** The name of the field that tells the alternatives apart, and its value in each of them. */
function requireDiscriminator(variants: readonly Schema[]): { name: string; values: string[] } {
	const [first] = variants;
	const name = Object.entries(first?.properties ?? {}).find(([, { const: value }]) => value)?.[0];
	if (name === undefined) throw new Error('The alternatives have no field that tells them apart');
	return { name, values: variants.map(({ properties }) => properties?.[name]?.const ?? '') };
}

/** Longer text gets room for several lines. */
const LONG_TEXT = 1_000;

type Owners = Field['of'];

/** All fields of all alternatives, each once. */
function mergedFields(document: OpenApiDocument, variants: Schema[], prefix: string): Field[] {
	const { name: chooser, values } = requireDiscriminator(variants);
	const names = [...new Set(variants.flatMap(({ properties }) => Object.keys(properties ?? {})))];
	return names.flatMap((name) => {
		const owners = variants.flatMap(({ properties }, index) =>
			properties?.[name] ? [{ schema: properties[name], value: values[index] as string }] : [],
		);
		const schema = owners[0]?.schema as Schema;
		if (name === chooser) {
			return fieldsAt(document, { ...schema, enum: values }, prefix + name, undefined);
		}
		// Several alternatives have the field, each in its own form: the widest accepts all.
		const widest = owners.find(({ schema: { anyOf } }) => anyOf)?.schema ?? schema;
		const of =
			owners.length === variants.length
				? undefined
				: { path: prefix + chooser, values: owners.map(({ value }) => value) };
		return fieldsAt(document, widest, prefix + name, of);
	});
}

/** The field or, for an object, the fields that take a value of the schema. */
function fieldsAt(document: OpenApiDocument, node: Schema, path: string, of: Owners): Field[] {
	const schema = resolved(document, node);
	const variants = readVariants(document, schema);
	if (variants && path === 'content_state') return mergedFields(document, variants, `${path}.`);
	const object = schema.properties ? schema : objectAmong(schema.anyOf);
	if (object?.properties) {
		const properties = Object.entries(object.properties);
		// The description of an object with one field is about that field.
		const words = properties.length === 1 ? schema.description : undefined;
		return properties.flatMap(([name, inner]) =>
			fieldsAt(
				document,
				words === undefined ? inner : { ...inner, description: words },
				`${path}.${name}`,
				of,
			),
		);
	}
	return [{ ...inputFor(document, schema, path, variants), path, label: toLabel(path), of }];
}

function objectAmong(schemas: readonly Schema[] = []): Schema | undefined {
	return schemas.find(({ properties }) => properties);
}

type Input = Pick<
	Field,
	'kind' | 'hint' | 'options' | 'columns' | 'most' | 'isSingle' | 'canClear'
>;

function inputFor(
	document: OpenApiDocument,
	schema: Schema,
	path: string,
	variants: Schema[] | undefined,
): Input {
	const input: Input = {
		kind: 'text',
		hint: HINTS[path.replace(/^push\./, '')] ?? schema.description,
		options: [],
		columns: [],
		most: 1,
		isSingle: false,
		canClear: false,
	};
	if (variants) return { ...input, ...toRows(document, variants, path), isSingle: true };
	if (schema.type === 'array') return { ...input, ...listFor(document, schema, path) };
	if (schema.enum) return { ...input, kind: 'select', options: schema.enum };
	if (schema.anyOf) return { ...input, kind: 'number_or_text' };
	if (schema.type === 'boolean') return { ...input, kind: 'boolean' };
	if (schema.type === 'object') return { ...input, kind: 'json' };
	if (schema.type === 'integer' || schema.type === 'number') return { ...input, kind: 'number' };
	const isLong = (schema.maxLength ?? 0) > LONG_TEXT && schema.format !== 'uri';
	return isLong ? { ...input, kind: 'area' } : input;
}

function listFor(document: OpenApiDocument, schema: Schema, path: string): Partial<Input> {
	const items = resolved(document, schema.items ?? {});
	const variants = readVariants(document, items) ?? (items.properties ? [items] : undefined);
	if (variants) return { ...toRows(document, variants, path), most: schema.maxItems ?? Infinity };
	if (items.enum) return { kind: 'list', options: items.enum };
	if (endsWith(path, 'channels')) return { kind: 'channels' };
	return { kind: 'tags' };
}

function toRows(document: OpenApiDocument, variants: Schema[], path: string): Partial<Input> {
	const [only] = variants;
	const fields =
		variants.length === 1
			? Object.entries(only?.properties ?? {}).flatMap(([name, inner]) =>
					fieldsAt(document, inner, `${path}.${name}`, undefined),
				)
			: mergedFields(document, variants, `${path}.`);
	return { kind: 'rows', columns: fields.map((field) => insideRow(field, path)) };
}

/** A column's path begins at its row. */
function insideRow(field: Field, path: string): Field {
	const cut = (whole: string) => whole.slice(path.length + 1);
	return {
		...field,
		path: cut(field.path),
		of: field.of && { ...field.of, path: cut(field.of.path) },
	};
}

/** Only a start's state says which fields belong to which type; a change has the same fields. */
function withTypes(document: OpenApiDocument, fields: Field[]): Field[] {
	const start = document.components.schemas['ContentState'];
	const typed = new Map(
		(start ? fieldsAt(document, start, 'content_state', undefined) : []).map(({ path, of }) => [
			path,
			of,
		]),
	);
	return fields.map((field) => ({ ...field, of: field.of ?? typed.get(field.path) }));
}

/**
 * The fields of a request's body, made from the server's own OpenAPI document: a field added to the
 * contract appears in the form without another line here.
 * @param path as the document has it: `/live-activity/stream/{stream_key}`
 */
export function readFields(document: OpenApiDocument, method: string, path: string): Field[] {
	const { properties = {} } = bodySchema(document, method, path);
	const mayHaveTags = 'activity_id' in properties || path.includes('{stream_key}');
	return withTypes(
		document,
		Object.entries(properties).flatMap(([name, schema]) =>
			fieldsAt(document, schema, name, undefined),
		),
	)
		.map((field) => (field.path === 'tags' ? { ...field, canClear: mayHaveTags } : field))
		.map((field) =>
			field.path === 'target.channels' && 'channels' in properties
				? { ...field, label: 'Target channels' }
				: field,
		)
		.sort((a, b) => toRank(a.path) - toRank(b.path));
}

/** Fields that say to which phones a request goes; a stream's own comes first. */
const RECIPIENTS = ['channels', 'target.channels', 'push.target.channels'];

/** The field for the recipients; undefined: the request is not for phones. */
export function recipientsOf(fields: readonly Field[]): Field | undefined {
	return fields.find(({ kind, path }) => kind === 'channels' && RECIPIENTS.includes(path));
}

/** True if the field belongs to the current choice; while nothing is chosen, every field does. */
export function isShown({ of }: Field, values: Values): boolean {
	const chosen = of && values[of.path];
	return typeof chosen !== 'string' || chosen === '' || (of?.values.includes(chosen) ?? true);
}
