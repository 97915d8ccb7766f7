import { z } from 'zod';
import { badgeRequest, badgeResponse } from '../../contract/badge.ts';
import { badgeUpdateError, forbiddenError, noRecipientsError } from '../../contract/errors.ts';
import { updateBadge } from '../../service/sending/badges.ts';
import type { Context } from '../../service/context.ts';
import type { TypedApp } from '../typed-app.ts';
import { commonAnswers } from './answers.ts';
import { requireCaller } from '../gate.ts';

export function registerBadges(app: TypedApp, context: Context): void {
	app.post(
		'/badge',
		{
			schema: {
				operationId: 'updateAppIconBadgeCount',
				summary: 'Set or clear the app icon badge',
				tags: ['App icon badge'],
				body: badgeRequest,
				response: {
					200: badgeResponse,
					...commonAnswers,
					403: forbiddenError,
					422: z.union([badgeUpdateError, noRecipientsError]),
					502: badgeUpdateError,
				},
			},
		},
		(request) => updateBadge(context, requireCaller(request), request.body),
	);
}
