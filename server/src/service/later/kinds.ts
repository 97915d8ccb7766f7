import { activityExpiry } from '../activities/requests.ts';
import { snoozes } from '../phones/snoozes.ts';
import { type WidgetGateway, widgetReloads } from '../phones/widget-reloads.ts';
import { callbacks } from '../questions/callbacks.ts';
import { questionTimes } from '../questions/due.ts';
import { pushExpiry } from '../sending/stored-pushes.ts';
import { quietSummaries } from '../sending/quiet-summary.ts';
import { repeats } from '../sending/repeats.ts';
import { waitingTaps } from '../triggers/taps.ts';
import type { LaterKind } from './later.ts';

/** Everything that happens later. @param apns absent: the server has no key for Apple's push service */
export function laterKinds(apns: WidgetGateway | undefined): LaterKind[] {
	return [
		questionTimes,
		callbacks,
		repeats,
		snoozes,
		quietSummaries,
		waitingTaps,
		activityExpiry,
		pushExpiry,
		...(apns ? [widgetReloads(apns)] : []),
	];
}
