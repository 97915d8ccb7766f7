import { Text } from '@mantine/core';
import type { PlaygroundPreview } from '../../../src/contract/console/playground.ts';
import { AppIcon } from '../../phone/components/app-icon.tsx';
import { Clock } from '../../phone/components/clock.tsx';
import { MetricWidgets } from '../../phone/components/metric-widgets.tsx';
import { Wallpaper } from '../../phone/components/wallpaper.tsx';
import { ActivityPreview, NotificationPreview } from '../components/lock-screen-preview.tsx';

interface PreviewProps {
	shown: PlaygroundPreview | undefined;
	/** The reason for a refusal; the last good preview stays. */
	problem: string | undefined;
}

/** The phone beside the form: the phone's own lock screen, with only this request on it. */
export function Preview({ shown, problem }: PreviewProps) {
	const clockOffset = shown ? Date.parse(shown.server_time) - Date.now() : 0;
	return (
		<section className="preview" aria-label="Preview">
			<h2 className="visually-hidden">Preview</h2>
			<div className="preview-phone">
				<div className="preview-screen">
					<Wallpaper />
					<div className="preview-island" aria-hidden="true" />
					<div className="preview-content">
						<Clock isSmall={shown?.notification !== undefined || shown?.activity !== undefined} />
						{shown?.metric && <MetricWidgets metrics={[shown.metric]} clockOffset={0} />}
						<div className="cards">
							{shown?.notification && <NotificationPreview push={shown.notification} />}
							{shown?.activity && (
								<ActivityPreview activity={shown.activity} clockOffset={clockOffset} />
							)}
						</div>
					</div>
					<div className="preview-dock">
						<span className="home-icon" role="img" aria-label={`Badge ${shown?.badge ?? 0}`}>
							<AppIcon />
							{(shown?.badge ?? 0) > 0 && <span className="app-badge">{shown?.badge}</span>}
						</span>
					</div>
				</div>
			</div>
			<Text
				size="sm"
				c={problem === undefined ? 'dimmed' : undefined}
				role="status"
				className="preview-note"
			>
				{problem ?? 'As the phone will show it.'}
			</Text>
		</section>
	);
}
