import type { Notification, ShownActivity } from '../../../src/contract/shown.ts';
import { ActivityCard } from '../../phone/components/activity-card.tsx';
import { NotificationCard } from '../../phone/components/notification-card.tsx';
import { isUnfoldedAlone } from '../../device/urgency.ts';
import { refuseTap, type TapReport } from '../../phone/reports.ts';
import '../styles/preview.css';

/** A preview's buttons do nothing; only the phone's count. */
const tapNothing = (report: TapReport) =>
	refuseTap(report, 'This is only a preview: nothing was called. On a phone, the button works.');
const dismissNothing = () => undefined;

interface ActivityPreviewProps {
	activity: ShownActivity;
	/** Server clock minus this device's, in milliseconds. */
	clockOffset: number;
}

/** A Live Activity as the phone shows it, with the phone's own component. */
export function ActivityPreview({ activity, clockOffset }: ActivityPreviewProps) {
	return (
		<div className="as-on-phone">
			<ActivityCard
				card={{ activity, deliveryId: 0, alertId: 0 }}
				clockOffset={clockOffset}
				onDismiss={dismissNothing}
				onTap={tapNothing}
			/>
		</div>
	);
}

interface NotificationPreviewProps {
	push: Notification;
	/** Shows the whole text, the media and the buttons; otherwise only what asks for something does, as on a phone. */
	isUnfolded?: boolean;
}

export function NotificationPreview({ push, isUnfolded = false }: NotificationPreviewProps) {
	return (
		<div className="as-on-phone">
			<NotificationCard
				notification={{ id: 0, sent_at: new Date().toISOString(), push }}
				clockOffset={0}
				isUnfolded={isUnfolded || isUnfoldedAlone(push)}
				onDismiss={dismissNothing}
				onTap={tapNothing}
			/>
		</div>
	);
}
