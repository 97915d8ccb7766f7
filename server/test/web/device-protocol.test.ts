import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import * as contract from '../../src/contract/device.ts';
import * as questions from '../../src/contract/questions.ts';
import * as quiet from '../../src/contract/quiet.ts';
import * as shown from '../../src/contract/shown.ts';

const PAGE = join(import.meta.dirname, '../../../docs/device-protocol.md');

/** The names after ```json in the page. */
const SCHEMAS: Record<string, z.ZodType> = {
	PairRequest: contract.pairRequest,
	PairResponse: contract.pairResponse,
	Delivery: contract.delivery,
	Snapshot: contract.snapshot,
	Inbox: contract.inbox,
	History: contract.deviceHistory,
	Channels: contract.deviceChannels,
	MuteRequest: contract.muteRequest,
	QuietRequest: quiet.quietRequest,
	QuietMuteRequest: quiet.quietMuteRequest,
	Quiet: quiet.quiet,
	PreferencesRequest: contract.preferencesRequest,
	Preferences: contract.preferences,
	PushMessage: contract.pushMessage,
	Metric: shown.shownMetric,
	AcknowledgeRequest: contract.acknowledgeRequest,
	AcknowledgeResponse: contract.acknowledgeResponse,
	TokensRequest: contract.tokensRequest,
	ActivityTokenRequest: contract.activityTokenRequest,
	TapRequest: contract.tapRequest,
	TapResponse: contract.tapResponse,
	QuestionAnswer: questions.phoneAnswerRequest,
	QuestionResponse: questions.phoneAnswerResponse,
	DismissalRequest: contract.dismissalRequest,
	DismissalResponse: contract.dismissalResponse,
	SnoozeRequest: contract.snoozeRequest,
	SnoozeResponse: contract.snoozeResponse,
	ClearRequest: contract.clearRequest,
	ClearResponse: contract.clearResponse,
	RestoreRequest: contract.restoreRequest,
	RestoreResponse: contract.restoreResponse,
	ShownState: shown.shownState,
	Success: contract.success,
	Error: z.object({ error: z.string(), message: z.string() }),
};

interface Example {
	name: string;
	json: string;
}

const page = readFileSync(PAGE, 'utf8');
const examples: Example[] = [...page.matchAll(/^```json(?: (\w+))?\n([\s\S]*?)^```$/gm)].map(
	([, name = '', json = '']) => ({ name, json }),
);

describe('the examples of docs/device-protocol.md', () => {
	it('are there, one at least for each shape', () => {
		expect(new Set(examples.map(({ name }) => name))).toEqual(new Set(Object.keys(SCHEMAS)));
	});

	it.each(examples)('$name: $json', ({ name, json }) => {
		const example: unknown = JSON.parse(json);
		// Parsing drops any field unknown to the contract.
		expect(SCHEMAS[name]?.parse(example)).toEqual(example);
	});

	it('in the event stream are what the contract says', () => {
		const data = [...page.matchAll(/^ {4}event: (\w+)\n {4}data: (.*)$/gm)];
		expect(data.map(([, event]) => event)).toEqual(['delivery', 'metric', 'notifications', 'bye']);
		for (const [, event, json = ''] of data) {
			const schema =
				event === 'delivery'
					? contract.delivery
					: event === 'metric'
						? shown.shownMetric
						: event === 'notifications'
							? contract.shownNotifications
							: z.object({});
			expect(schema.parse(JSON.parse(json))).toEqual(JSON.parse(json));
		}
	});
});
