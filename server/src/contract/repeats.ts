import { z } from 'zod';
import { wholeNumber } from './common.ts';
import { pushRequest, pushResponse } from './push.ts';

export const repeatId = z
	.string()
	.regex(/^[A-Za-z0-9_-]{32}$/, 'must be the repeat_id that the repeated push returned')
	.describe('The repeat_id that the repeated push returned.');

/** Body of POST /push-notification/repeated. */
export const repeatedPushRequest = z
	.strictObject({
		push: pushRequest,
		repeat: z
			.strictObject({
				every_minutes: wholeNumber(1, 60).describe('Minutes between two deliveries.'),
				times: wholeNumber(1, 20).describe('Maximum deliveries after the first.'),
			})
			.describe('It ends with the first tap or dismissal on any phone.'),
	})
	.meta({ id: 'RepeatedPushRequest' });

export const repeatedPushResponse = z
	.strictObject({ ...pushResponse.shape, repeat_id: z.string() })
	.meta({ id: 'RepeatedPushResponse' });

export const repeatParams = z.strictObject({ repeat_id: repeatId });

/** Body of DELETE /push-notification/repeated/{repeat_id}. */
export const repeatStopRequest = z.strictObject({}).meta({ id: 'RepeatStopRequest' });

export const repeatStopResponse = z
	.strictObject({
		success: z.literal(true),
		repeat_id: z.string(),
		outcome: z
			.enum(['stopped', 'reacted', 'finished'])
			.describe(
				'stopped: by this request or an earlier one; reacted: someone had tapped or dismissed it; finished: all deliveries were made.',
			),
	})
	.meta({ id: 'RepeatStopResponse' });

export type RepeatEnd = RepeatStopResponse['outcome'];
export type RepeatedPushRequest = z.output<typeof repeatedPushRequest>;
export type RepeatedPushResponse = z.output<typeof repeatedPushResponse>;
export type RepeatStopResponse = z.output<typeof repeatStopResponse>;
