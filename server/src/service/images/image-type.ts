import type { ImageType } from '../../contract/images.ts';

const startsWith = (bytes: Buffer, signature: string, at = 0) =>
	bytes.subarray(at, at + signature.length).equals(Buffer.from(signature, 'latin1'));

/** The kind of picture by its first bytes, whatever the request says; undefined for anything else. */
export function readImageType(bytes: Buffer): ImageType | undefined {
	if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
	if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png';
	if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif';
	if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp';
	return undefined;
}
