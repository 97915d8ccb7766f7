import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { targetOf } from '../../shared/channels';

/** service-api.md section 1, for any count. */
export function badgeCall(read: FieldReader, badge: number | undefined): BeckonCall {
	return {
		method: 'POST',
		path: '/badge',
		body: compact({ badge, target: targetOf(read) }),
		aliases: ['devices_notified', 'users_notified'],
	};
}
