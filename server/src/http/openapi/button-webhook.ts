import type { OpenAPIV3_1 } from 'openapi-types';
import { z } from 'zod';
import { webhookAnswer } from '../../contract/actions.ts';

interface StringSchema {
	type: 'string';
	format?: string;
}

function header(name: string, description: string, schema: StringSchema) {
	return { name, in: 'header', required: true, description, schema };
}

function answerContent() {
	const { $schema: _dialect, ...schema } = z.toJSONSchema(webhookAnswer, { io: 'input' });
	return { 'application/json': { schema: schema as { type: 'object' } } };
}

/** The call a tapped button makes, for the OpenAPI document (docs/api-decisions.md "Webhooks"). */
export const BUTTON_WEBHOOKS: Record<string, OpenAPIV3_1.PathItemObject> = {
	buttonTapped: {
		post: {
			operationId: 'buttonTapped',
			summary: 'A webhook button was tapped',
			description:
				'Beckon calls the `url` of the button with its `method`; a GET sends no body. The calls of one notification or Live Activity are made one at a time. The answer is due within 10 seconds.',
			// Beckon sends no credentials except those in the button's URL.
			security: [],
			parameters: [
				header('Beckon-Tap-Id', 'Identifies this tap.', { type: 'string', format: 'uuid' }),
				header('Beckon-User', 'Who tapped, as percent-encoded UTF-8.', { type: 'string' }),
				header('Beckon-Device', 'The name of the phone, as percent-encoded UTF-8.', {
					type: 'string',
				}),
				header('Beckon-Tapped-At', 'When it was tapped.', { type: 'string', format: 'date-time' }),
			],
			requestBody: {
				description: 'The `body` of the button; an empty object when it has none.',
				content: { 'application/json': { schema: { type: 'object' } } },
			},
			responses: {
				'2XX': {
					description:
						'The tap counts, unless the answer is a web page. The JSON is optional, and so is each of its fields.',
					content: answerContent(),
				},
				default: {
					description: 'The tap does not count, and the buttons stay open.',
					content: answerContent(),
				},
			},
		},
	},
};
