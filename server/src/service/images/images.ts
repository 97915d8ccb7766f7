import { BoundedMap } from '../../collections.ts';
import { type ImageResponse, MAX_IMAGE_BYTES, MAX_STORED_BYTES } from '../../contract/images.ts';
import { HOUR_MS } from '../../durations.ts';
import {
	countStoredBytes,
	deleteUnusedImages,
	findImageSize,
	imageByHash,
	insertImage,
	type StoredImage,
} from '../../store/images.ts';
import { type Caller, type Context, isoTime, type ServiceSettings } from '../context.ts';
import { isHeic, readImageType, readPixels, withoutMetadata } from './image-bytes.ts';
import { conflict, invalid } from '../refusal.ts';
import { hashSecret, newToken } from '../secrets.ts';

/** Milliseconds that a picture is kept without a push. */
const UNUSED_MS = HOUR_MS;

/** Rows per deletion, each of up to two megabytes. */
const DELETED_AT_ONCE = 20;

/** Pictures in memory: 16 MB at most. */
const MAX_KEPT = 8;

/** This many take 200 MB of a phone's memory when decoded. */
const MAX_PIXELS = 50_000_000;

const HEIC =
	'Few browsers show HEIC pictures. Send a JPEG: on an iPhone, choose Settings → Camera → Formats → Most Compatible.';

const invalidImage = (message: string) => invalid('Invalid image', message);

const toFolder = (publicUrl: string) => `${publicUrl}/images/`;

/** The start of the address of every picture. @throws Refusal `invalid` if phones could not fetch it */
function requireImageAddress({ publicUrl }: ServiceSettings): string {
	if (!/^https:\/\//i.test(publicUrl))
		throw invalid(
			'No https address',
			'Phones fetch pictures from this server by https only. Set BECKON_PUBLIC_URL on the server to its https address.',
		);
	return toFolder(publicUrl);
}

/** The hash of the path, if the URL leads to a picture on this server. */
export function readImageHash({ publicUrl }: ServiceSettings, url: string | undefined) {
	const address = toFolder(publicUrl);
	return publicUrl !== '' && url?.startsWith(address)
		? hashSecret(url.slice(address.length))
		: undefined;
}

/**
 * POST /images: stores a picture for a push.
 * @param bytes undefined or empty: the request had no body
 * @throws Refusal `invalid`, or `conflict` when the account's picture storage is full, for a key limited to channels
 *         when half of it is
 */
export async function storeImage(context: Context, caller: Caller, bytes: Buffer | undefined) {
	const { database, settings, now } = context;
	const { accountId, channels } = caller;
	const address = requireImageAddress(settings);
	if (!bytes || bytes.length === 0)
		throw invalidImage('The body is empty. Send the bytes of a picture.');
	if (bytes.length > MAX_IMAGE_BYTES) throw invalidImage('A picture can be at most 2 MB.');
	const type = readImageType(bytes);
	if (!type)
		throw invalidImage(isHeic(bytes) ? HEIC : 'The body is not a JPEG, PNG, GIF or WebP picture.');
	if (readPixels(type, bytes) > MAX_PIXELS)
		throw invalidImage('A picture can have at most 50 million pixels. Make it smaller.');
	const stored = type === 'image/jpeg' ? withoutMetadata(bytes) : bytes;
	const path = newToken();
	const createdAt = now();
	await database.write(accountId, async (db) => {
		const [most, part] = channels
			? [MAX_STORED_BYTES / 2, 'half of its 200 MB; the rest is for keys of all channels']
			: [MAX_STORED_BYTES, 'all of its 200 MB'];
		if ((await countStoredBytes(db, accountId)) + stored.length > most)
			throw conflict(
				'No room for pictures',
				`This account’s pictures use ${part}. A picture is deleted with its history, or after an hour if no push has used it.`,
			);
		await insertImage(db, {
			path_hash: hashSecret(path),
			account_id: accountId,
			history_id: null,
			type,
			bytes: stored,
			size: stored.length,
			created_at: createdAt,
		});
	});
	const unused_until = isoTime(createdAt + UNUSED_MS);
	return { success: true, url: address + path, unused_until } satisfies ImageResponse;
}

interface FoundImage {
	/** The size in bytes. */
	size: number;
	/** @returns undefined if it has been deleted meanwhile */
	read: () => Promise<StoredImage | undefined>;
}

/**
 * Returns a function that finds the picture at a path, or undefined if there is none (anymore). It keeps the
 * bytes of the last few: a picture that many phones fetch at once is read once, and all responses share its bytes.
 */
export function imageFinder({ database }: Context) {
	const kept = new BoundedMap<string, Promise<StoredImage | undefined>>(MAX_KEPT);
	const read = (hash: string) => {
		const image = kept.get(hash) ?? imageByHash(database.read, hash);
		kept.delete(hash);
		kept.set(hash, image);
		return image.catch((error: unknown) => {
			kept.delete(hash);
			throw error;
		});
	};
	return async (path: string): Promise<FoundImage | undefined> => {
		const hash = hashSecret(path);
		const size = await findImageSize(database.read, hash);
		return size === undefined ? undefined : { size, read: () => read(hash) };
	};
}

/** Deletes pictures that no push has used within an hour. @returns the number */
export async function pruneUnusedImages({ database, now }: Context): Promise<number> {
	const before = now() - UNUSED_MS;
	for (let total = 0; ;) {
		const deleted = await database.write(null, (db) =>
			deleteUnusedImages(db, before, DELETED_AT_ONCE),
		);
		total += deleted;
		if (deleted < DELETED_AT_ONCE) return total;
	}
}
