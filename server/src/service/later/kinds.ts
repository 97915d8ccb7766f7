import { expiry } from '../activities/requests.ts';
import { snoozes } from '../phones/snoozes.ts';
import { type WidgetGateway, widgetReloads } from '../phones/widget-reloads.ts';
import { callbacks } from '../questions/callbacks.ts';
import { questionTimes } from '../questions/due.ts';
import { pushExpiry } from '../sending/stored.ts';
import { summaries } from '../sending/quiet-summary.ts';
import { repeats } from '../sending/repeats.ts';
import { waitingTaps } from '../triggers/taps.ts';
import type { LaterKind } from './later.ts';

/**
 * Everything that happens later.
 * @param apns absent: the server reaches no iPhone
 * @param widgetFloorMs minimum milliseconds between two reloads of a phone's widgets
 */
export function laterKinds(apns: WidgetGateway | undefined, widgetFloorMs: number): LaterKind[] {
	return [
		questionTimes,
		callbacks,
		repeats,
		snoozes,
		summaries,
		waitingTaps,
		expiry,
		pushExpiry,
		...(apns ? [widgetReloads(apns, widgetFloorMs)] : []),
	];
}
