import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { z } from 'zod';
import { COLORS } from '../src/contract/values.ts';
import { channelSlug, channelSlugs, tag, tags } from '../src/contract/common.ts';
import {
	ACTIVITY_TYPES,
	streamContentState,
	TYPES_WITHOUT_SECONDARY_ACTION,
} from '../src/contract/content-state.ts';
import { streamKey } from '../src/contract/live-activities.ts';
import { metricKey } from '../src/contract/metrics.ts';
import { pushRequest } from '../src/contract/push.ts';
import { repeatedPushRequest, repeatId } from '../src/contract/repeats.ts';

/** What the n8n node checks before it sends, and shows in its editor: written from the contract. */
export const BOUNDS = join(import.meta.dirname, '../../nodes/shared/fields/bounds.ts');

function json(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
	const written = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
	// A schema with a name is written as a reference to it.
	return written.$defs?.[written.$ref?.split('/').at(-1) ?? ''] ?? written;
}

/** The service's words for a value that breaks a rule. */
function words(schema: z.ZodType, broken: unknown): string {
	const [issue] = schema.safeParse(broken).error?.issues ?? [];
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

/** The rule of a number that has a lower bound outside of its range. */
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

const { actions } = pushRequest.shape;
const state = streamContentState.shape;
const { every_minutes: everyMinutes, times } = repeatedPushRequest.shape.repeat.shape;

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
	buttonRows: rows(actions),
	metricRows: rows(state.metrics),
	MAX_TITLE: json(pushRequest.shape.title).maxLength,
	MAX_MESSAGE: json(pushRequest.shape.message).maxLength,
};

const RULES: Record<string, string> = {
	tag: key(tag),
	tagList: list(tags, (index) => `t${index}`),
	channel: key(channelSlug),
	channelList: list(channelSlugs, (index) => `c${index}`),
	streamKey: key(streamKey),
	metricKey: key(metricKey),
	repeatId: key(repeatId),
	actionList: list(actions, () => ({ title: 'x', type: 'open_url', url: 'https://a.example' })),
	durationSeconds: above(state.duration_seconds),
	upperLimit: above(state.upper_limit),
	metricList: list(state.metrics, (index) => ({ label: `m${index}`, value: 1 })),
};

/** The file as it has to be. */
export async function nodeBounds(): Promise<string> {
	const constants = Object.entries(CONSTANTS).map(
		([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
	);
	const rules = Object.entries(RULES).map(([name, rule]) => `export const ${name} = ${rule};`);
	const text = [
		`import { allOf, listOf, matching, moreThan, noLonger } from './rules';`,
		`/** Written from the server's contract by server/scripts/write-node-bounds.ts: \`npm run docs\`. */`,
		`export const ACTIVITY_TYPES = ${JSON.stringify(ACTIVITY_TYPES)} as const;`,
		...constants,
		...rules,
	].join('\n\n');
	return await format(text, { ...(await resolveConfig(BOUNDS)), parser: 'typescript' });
}

if (import.meta.main) writeFileSync(BOUNDS, await nodeBounds());
