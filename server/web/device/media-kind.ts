export type MediaKind = 'image' | 'audio' | 'video';

const EXTENSIONS = {
	audio: ['mp3', 'm4a', 'aac', 'wav', 'ogg', 'oga', 'opus', 'flac'],
	video: ['mp4', 'm4v', 'mov', 'webm', 'ogv'],
};

/**
 * Guesses the kind of a media URL by its file name. Most URLs without a telling name are images; if not,
 * the image fails to load and the page tries a player.
 */
export function mediaKind(url: string): MediaKind {
	const path = new URL(url).pathname.toLowerCase();
	const extension = /\.([a-z0-9]+)$/.exec(path)?.[1] ?? '';
	for (const kind of ['audio', 'video'] as const) {
		if (EXTENSIONS[kind].includes(extension)) return kind;
	}
	return 'image';
}
