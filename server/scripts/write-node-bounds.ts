import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { z } from 'zod';
import { COLORS } from '../src/contract/values.ts';
import {
	alertPayload,
	channelSlug,
	channelSlugs,
	metadata,
	tag,
	tags,
} from '../src/contract/common.ts';
import {
	ACTIVITY_TYPES,
	streamContentState,
	TYPES_WITHOUT_SECONDARY_ACTION,
} from '../src/contract/content-state.ts';
import { MAX_IMAGE_BYTES } from '../src/contract/images.ts';
import { toIssues } from '../src/contract/issues.ts';
import { streamKey, updateRequest } from '../src/contract/live-activities.ts';
import { metricKey, metricValue } from '../src/contract/metrics.ts';
import { pushRequest } from '../src/contract/push.ts';
import { questionParams, questionRequest } from '../src/contract/questions.ts';
import { repeatedPushRequest, repeatId } from '../src/contract/repeats.ts';
import { sequenceId, ttl } from '../src/contract/push-headers.ts';
import { triggerId } from '../src/contract/triggers.ts';

/** What the n8n node checks before it sends, and shows in its editor: written from the contract. */
export const BOUNDS = join(import.meta.dirname, '../../nodes/shared/fields/bounds.ts');

/** Where the command line cuts texts: also written from the contract. */
export const MAX_LENGTHS_FILE = join(import.meta.dirname, '../../cli/src/longest.ts');

function json(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
	const written = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
	// A schema with a name is written as a reference to it.
	return written.$defs?.[written.$ref?.split('/').at(-1) ?? ''] ?? written;
}

/** The service's words for a value that breaks a rule. */
function words(schema: z.ZodType, broken: unknown): string {
	const { error } = schema.safeParse(broken);
	const [issue] = error ? toIssues(error, broken) : [];
	if (!issue) throw new Error(`The contract allows ${JSON.stringify(broken)}`);
	return issue.message;
}

/** The bounds of a number, as n8n's editor takes them. */
function number(schema: z.ZodType): object {
	const { type, minimum, maximum } = json(schema);
	return {
		...(minimum !== undefined && { minValue: minimum }),
		...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && { maxValue: maximum }),
		...(type === 'integer' && { numberPrecision: 0 }),
	};
}

/** The bounds of a list's rows, as n8n's editor takes them. */
const rows = (schema: z.ZodType) => ({ maxAllowedFields: json(schema).maxItems });

/** The rule for the length of a text. One that is not optional is required, which the field says. */
function length(schema: z.ZodType): string {
	const { maxLength, anyOf = [] } = json(schema);
	const max = maxLength ?? anyOf.find(({ type }) => type === 'string')?.maxLength;
	if (max === undefined) throw new Error('The contract does not bound this text');
	const tooLong = JSON.stringify(words(schema, 'x'.repeat(max + 1)));
	const isTrimmed = schema.safeParse(` ${'x'.repeat(max)}`).success;
	return `noLonger(${max}, ${tooLong}${isTrimmed ? ', true' : ''})`;
}

/** The rule of a text that a person writes for a person, which is cut where it is too long. */
const prose = (schema: z.ZodType) => length(schema).replace('noLonger', 'prose');

/** The rule for a URL: its length, and how it begins. */
function url(schema: z.ZodType): string {
	const { pattern, maxLength } = json(schema);
	const beginning = pattern === undefined ? beginnings(schema) : `/${pattern}/`;
	return `url(${maxLength}, ${beginning}, ${JSON.stringify(words(schema, 'x'))})`;
}

/** The beginnings of a URL whose schemes are checked by code: the web's and Apple's Shortcuts, if it takes them. */
function beginnings(schema: z.ZodType): string {
	const schemes = ['https', 'http', 'shortcuts'];
	const taken = schemes.filter((scheme) => schema.safeParse(`${scheme}://a.example`).success);
	return `/^(${taken.join('|')}):/i`;
}

/** The rule of a number with an exclusive lower bound. */
const above = (schema: z.ZodType) => `moreThan(${json(schema).exclusiveMinimum})`;

/** The rules of a key: its length, unless the pattern says it, and its pattern. */
function key(schema: z.ZodType): string {
	const { pattern = '', maxLength } = json(schema);
	const matching = `matching(/${pattern}/, ${JSON.stringify(words(schema, '!'))})`;
	if (maxLength === undefined) return matching;
	const tooLong = JSON.stringify(words(schema, 'x'.repeat(maxLength + 1)));
	return `allOf(noLonger(${maxLength}, ${tooLong}), ${matching})`;
}

/** The rules of a list. @param entry makes valid entries, each different */
function list(schema: z.ZodType, entry: (index: number) => unknown): string {
	const { minItems, maxItems = 0, uniqueItems } = json(schema);
	const tooMany = Array.from({ length: maxItems + 1 }, (_, index) => entry(index));
	return `listOf(${JSON.stringify({
		...(minItems !== undefined && { fewest: [minItems, words(schema, [])] }),
		most: [maxItems, words(schema, tooMany)],
		...(uniqueItems === true && { repeated: words(schema, [entry(0), entry(0)]) }),
	})})`;
}

/** The rules for the names and the values of a free object. */
function entries(schema: typeof metadata): string {
	const { maxProperties = 0, propertyNames } = json(schema);
	const most = Object.fromEntries(
		Array.from({ length: maxProperties + 1 }, (_, index) => [`x${index}`, index]),
	);
	const longest = typeof propertyNames === 'object' ? (propertyNames.maxLength ?? 0) : 0;
	return `entriesOf(${JSON.stringify({
		most: [maxProperties, words(schema, most)],
		names: [longest, words(schema, { ['x'.repeat(longest + 1)]: 1 })],
	})})`;
}

const push = pushRequest.shape;
const { actions } = push;
const [openUrl, webhook] = actions.unwrap().def.out.element.options;
const state = streamContentState.shape;
const icon = state.icon.unwrap().options[1].shape;
const metric = state.metrics.unwrap().def.out.element.shape;
const { every_minutes: everyMinutes, times } = repeatedPushRequest.shape.repeat.shape;

const { deadline, escalate, remind, text } = questionRequest.shape;

const CONSTANTS: Record<string, unknown> = {
	COLORS,
	TYPES_WITH_ONE_BUTTON: TYPES_WITHOUT_SECONDARY_ACTION,
	badgeBounds: number(pushRequest.shape.badge),
	percentageBounds: number(state.percentage),
	currentStepBounds: number(state.current_step),
	numberOfStepsBounds: number(state.number_of_steps),
	dismissalBounds: number(state.auto_dismiss_minutes),
	everyMinutesBounds: number(everyMinutes),
	timesBounds: number(times),
	remindMinutesBounds: number(remind.unwrap().shape.every_minutes),
	afterMinutesBounds: number(escalate.unwrap().shape.after_minutes),
	deadlineSeconds: number(deadline.unwrap().shape.after_seconds),
	ttlSeconds: number(ttl),
	buttonRows: rows(actions),
	metricRows: rows(state.metrics),
	MAX_TITLE: json(pushRequest.shape.title).maxLength,
	MAX_MESSAGE: json(pushRequest.shape.message).maxLength,
	MAX_IMAGE_BYTES,
};

const RULES: Record<string, string> = {
	tag: key(tag),
	tagList: list(tags, (index) => `t${index}`),
	channel: key(channelSlug),
	channelList: list(channelSlugs, (index) => `c${index}`),
	streamKey: key(streamKey),
	triggerId: key(triggerId),
	metricKey: key(metricKey),
	repeatId: key(repeatId),
	questionId: key(questionParams.shape.question_id),
	placeholderText: length(text.unwrap().shape.placeholder),
	sequenceId: key(sequenceId),
	actionList: list(actions, () => ({ title: 'x', type: 'open_url', url: 'https://a.example' })),
	buttonTitle: length(openUrl.shape.title),
	openedUrl: url(openUrl.shape.url),
	calledUrl: url(webhook.shape.url),
	mediaUrl: url(push.media),
	metricText: length(metricValue),
	metricLabel: length(metric.label),
	metricEntryText: length(metric.value),
	metricUnit: length(metric.unit),
	metricList: list(state.metrics, (index) => ({ label: `m${index}`, value: 1 })),
};

/** The rules of plain fields, beyond what the editor knows, by their paths in the request. */
const TEXTS = {
	title: prose(push.title),
	message: prose(push.message),
	subtitle: prose(push.subtitle),
	icon: url(push.icon) === url(push.media) ? 'mediaUrl' : url(push.icon),
	sound: length(push.sound),
	redirection: url(push.redirection),
	activity_id: length(updateRequest.shape.activity_id),
	'content_state.title': prose(state.title),
	'content_state.subtitle': prose(state.subtitle),
	'content_state.message': prose(state.message),
	'content_state.icon.symbol': length(icon.symbol),
	'content_state.badge.title': prose(state.badge.unwrap().shape.title),
	'content_state.value': prose(state.value),
	'alert.title': prose(alertPayload.shape.title),
	'alert.body': prose(alertPayload.shape.body),
};

const NUMBERS = {
	'content_state.duration_seconds': above(state.duration_seconds),
	'content_state.upper_limit': above(state.upper_limit),
};

/** Texts that a person writes for a person: the command line cuts them where they are too long. */
const TEXT_SCHEMAS: Record<string, z.ZodType> = {
	title: push.title,
	message: push.message,
	subtitle: push.subtitle,
	'content_state.title': state.title,
	'content_state.subtitle': state.subtitle,
	'content_state.message': state.message,
	'alert.body': alertPayload.shape.body,
};

/** The same for the objects of the user's own, and for the values in them. */
const OBJECTS = {
	payload: `noMoreBytes(2048, ${JSON.stringify(words(push.payload, { x: 'x'.repeat(2048) }))})`,
	metadata: entries(metadata),
};

const VALUES = {
	metadata: `scalar(512, ${JSON.stringify(words(metadata, { x: {} }))})`,
};

const table = (name: string, type: string, rules: Record<string, string>) =>
	`export const ${name}: Readonly<Record<string, Rule<${type}>>> = {${Object.entries(rules)
		.map(([path, rule]) => `'${path}': ${rule}`)
		.join(', ')}};`;

/** The content that the file must have. */
export async function nodeBounds(): Promise<string> {
	const constants = Object.entries(CONSTANTS).map(
		([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
	);
	const rules = Object.entries(RULES).map(([name, rule]) => `export const ${name} = ${rule};`);
	const text = [
		`import { allOf, entriesOf, listOf, matching, moreThan, noLonger, noMoreBytes, prose, scalar, url, type Rule } from './rules';`,
		`/** Written from the server's contract by server/scripts/write-node-bounds.ts: \`npm run docs\`. */`,
		`export const ACTIVITY_TYPES = ${JSON.stringify(ACTIVITY_TYPES)} as const;`,
		...constants,
		...rules,
		table('OF_TEXTS', 'string', TEXTS),
		table('OF_NUMBERS', 'number', NUMBERS),
		table('OF_OBJECTS', 'object', OBJECTS),
		table('OF_VALUES', 'unknown', VALUES),
	].join('\n\n');
	return await format(text, { ...(await resolveConfig(BOUNDS)), parser: 'typescript' });
}

/** The content that the command line's file must have: the most characters of each text, by its path in a request. */
export async function commandLineBounds(): Promise<string> {
	const bounds = Object.fromEntries(
		Object.entries(TEXT_SCHEMAS).map(([path, schema]) => [path, json(schema).maxLength]),
	);
	const text = `/** The most characters of a text, by its path in a request. Written from the server's contract by server/scripts/write-node-bounds.ts: \`npm run docs\`. */
export const MAX_LENGTHS: Readonly<Record<string, number>> = ${JSON.stringify(bounds)};`;
	return await format(text, { ...(await resolveConfig(MAX_LENGTHS_FILE)), parser: 'typescript' });
}

if (import.meta.main) {
	writeFileSync(BOUNDS, await nodeBounds());
	writeFileSync(MAX_LENGTHS_FILE, await commandLineBounds());
}
