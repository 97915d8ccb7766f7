import { BoundedMap } from '../bounded-map.ts';
import {
	type ImageResponse,
	type ImageType,
	MAX_IMAGE_BYTES,
	MAX_STORED_BYTES,
} from '../contract/images.ts';
import { HOUR_MS } from '../durations.ts';
import {
	countStoredBytes,
	deleteUnusedImages,
	hasImage,
	imageByHash,
	insertImage,
	type StoredImage,
} from '../store/images.ts';
import { type Caller, type Context, isoTime, type ServiceSettings } from './context.ts';
import { conflict, invalid } from './refusal.ts';
import { hashSecret, newToken } from './secrets.ts';

/** Milliseconds that a picture is kept without a push. */
const UNUSED_MS = HOUR_MS;

/** Rows per deletion, each of up to two megabytes. */
const DELETED_AT_ONCE = 20;

/** Pictures in memory: 16 MB at most. */
const MAX_KEPT = 8;

const invalidImage = (message: string) => invalid('Invalid image', message);

const toFolder = (publicUrl: string) => `${publicUrl.replace(/\/+$/, '')}/images/`;

/** The start of the address of every picture. @throws Refusal `invalid` if phones could not fetch it */
function requireImageAddress({ publicUrl }: ServiceSettings): string {
	if (!/^https:\/\//i.test(publicUrl)) {
		throw invalid(
			'No https address',
			'Phones fetch pictures from this server by https only. Set BECKON_PUBLIC_URL on the server to its https address.',
		);
	}
	return toFolder(publicUrl);
}

/** The hash of the path if the URL is that of a picture of this server. */
export function readImageHash(
	{ publicUrl }: ServiceSettings,
	url: string | undefined,
): string | undefined {
	const address = toFolder(publicUrl);
	return publicUrl !== '' && url?.startsWith(address)
		? hashSecret(url.slice(address.length))
		: undefined;
}

const startsWith = (bytes: Buffer, signature: string, at = 0) =>
	bytes.subarray(at, at + signature.length).equals(Buffer.from(signature, 'latin1'));

/** The kind of picture by its first bytes, whatever the request says; undefined for anything else. */
function readImageType(bytes: Buffer): ImageType | undefined {
	if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
	if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png';
	if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif';
	if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp';
	return undefined;
}

/**
 * POST /images: stores a picture for a push.
 * @param bytes undefined or empty: the request had no body
 * @throws Refusal `invalid`, or `conflict` when the account's picture storage is full
 */
export async function storeImage(
	{ database, settings, now }: Context,
	{ accountId }: Caller,
	bytes: Buffer | undefined,
): Promise<ImageResponse> {
	const address = requireImageAddress(settings);
	if (!bytes || bytes.length === 0)
		throw invalidImage('The body is empty. Send the bytes of a picture.');
	if (bytes.length > MAX_IMAGE_BYTES) throw invalidImage('A picture can be at most 2 MB.');
	const type = readImageType(bytes);
	if (!type) throw invalidImage('The body is not a JPEG, PNG, GIF or WebP picture.');
	const path = newToken();
	const createdAt = now();
	await database.write(accountId, async (db) => {
		if ((await countStoredBytes(db, accountId)) + bytes.length > MAX_STORED_BYTES) {
			throw conflict(
				'No room for pictures',
				'This account’s pictures use all of its 200 MB. A picture is deleted with its history, or after an hour if no push has used it.',
			);
		}
		await insertImage(db, {
			path_hash: hashSecret(path),
			account_id: accountId,
			history_id: null,
			type,
			bytes,
			size: bytes.length,
			created_at: createdAt,
		});
	});
	return { success: true, url: address + path, unused_until: isoTime(createdAt + UNUSED_MS) };
}

/**
 * Returns a function that finds the picture at a path, or undefined if there is none (anymore). It keeps the
 * bytes of the last few: a picture that many phones fetch at once is read once, and all answers share its bytes.
 */
export function imageFinder({
	database,
}: Context): (path: string) => Promise<StoredImage | undefined> {
	const kept = new BoundedMap<string, Promise<StoredImage | undefined>>(MAX_KEPT);
	return async (path) => {
		const hash = hashSecret(path);
		if (!(await hasImage(database.read, hash))) return undefined;
		const image = kept.get(hash) ?? imageByHash(database.read, hash);
		kept.delete(hash);
		kept.set(hash, image);
		return image.catch((error: unknown) => {
			kept.delete(hash);
			throw error;
		});
	};
}

/** Deletes pictures that no push has used within an hour. @returns the number */
export async function forgetUnusedImages({ database, now }: Context): Promise<number> {
	const before = now() - UNUSED_MS;
	for (let total = 0; ;) {
		const deleted = await database.write(null, (db) =>
			deleteUnusedImages(db, before, DELETED_AT_ONCE),
		);
		total += deleted;
		if (deleted < DELETED_AT_ONCE) return total;
	}
}
