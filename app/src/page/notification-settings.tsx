/** Replaces the page's own component, whose text is about browsers. */
import type { Push } from '../../../server/web/phone/hooks/use-push.ts';
import { Switch } from '../../../server/web/phone/components/switch.tsx';

const WORDS: Partial<Record<Push['state']['kind'], string>> = {
	on: 'On, even when Beckon is closed. iOS’s settings turn them off.',
	ask: 'Only while Beckon is open. Turn on to get them in the background.',
	denied: 'Off. Turn them on in iOS’s settings, under Notifications, Beckon.',
};

export function NotificationSettings({ push }: { push: Push }) {
	const { kind } = push.state;
	return (
		<section className="panel-part" aria-label="Notifications">
			<Switch
				label="Notifications"
				isOn={kind === 'on'}
				isDisabled={kind !== 'ask'}
				onChange={() => void push.turnOn()}
			/>
			<p className="panel-note" role="status">
				{WORDS[kind]}
			</p>
		</section>
	);
}
