import { useState } from 'react';
import { mediaKind } from '../../device/media-kind.ts';
import { safeLink } from '../../device/safe-url.ts';

/**
 * Shows an image, or audio and video with controls; nothing plays by itself. If the URL's name suggested
 * the wrong kind, falls back to a player and finally to a plain link.
 */
export function MediaPreview({ url }: { url: string }) {
	const [failures, setFailures] = useState(0);
	const onError = () => setFailures(failures + 1);
	const guess = mediaKind(url);
	const attempts = guess === 'image' ? (['image', 'video'] as const) : [guess];
	const kind = attempts[failures];

	if (kind === 'image') {
		return (
			<img className="media" src={url} alt="" referrerPolicy="no-referrer" onError={onError} />
		);
	}
	if (kind === 'video') {
		return (
			<video
				className="media"
				src={url}
				controls
				playsInline
				preload="metadata"
				onError={onError}
			/>
		);
	}
	if (kind === 'audio') {
		return (
			<audio className="media-audio" src={url} controls preload="metadata" onError={onError} />
		);
	}
	return (
		<a className="media-link" href={safeLink(url)?.href} target="_blank" rel="noopener noreferrer">
			Open the attachment
		</a>
	);
}

/** The thumbnail at the right of a collapsed notification; audio and video have none. */
export function MediaThumbnail({ url }: { url: string }) {
	const [isBroken, setIsBroken] = useState(false);
	if (isBroken || mediaKind(url) !== 'image') return null;
	return (
		<img
			className="thumbnail"
			src={url}
			alt=""
			loading="lazy"
			referrerPolicy="no-referrer"
			onError={() => setIsBroken(true)}
		/>
	);
}
