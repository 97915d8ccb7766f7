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

/** Whether it is a HEIC picture, as iPhones take them (ISO/IEC 23008-12). */
export function isHeic(bytes: Buffer): boolean {
	return (
		startsWith(bytes, 'ftyp', 4) && /^(hei|hev|mif1|msf1)/.test(bytes.toString('latin1', 8, 12))
	);
}

/** Enough of any picture but a JPEG to contain its size. */
const HEAD_BYTES = 32;

/** The number of pixels that the picture claims to have; 0 where it is cut off before it says so. */
export function readPixels(type: ImageType, bytes: Buffer): number {
	const head = Buffer.concat([bytes.subarray(0, HEAD_BYTES)], HEAD_BYTES);
	const pixels = {
		'image/png': () => head.readUInt32BE(16) * head.readUInt32BE(20),
		'image/gif': () => head.readUInt16LE(6) * head.readUInt16LE(8),
		'image/webp': () => readPixelsOfWebp(head),
		'image/jpeg': () => readPixelsOfJpeg(bytes),
	};
	return pixels[type]();
}

/** RFC 9649, sections 2.5 to 2.7. */
function readPixelsOfWebp(head: Buffer): number {
	const of14Bits = (at: number, shift = 0) => (head.readUInt32LE(at) >>> shift) & 0x3fff;
	switch (head.toString('latin1', 12, 16)) {
		case 'VP8X':
			return (head.readUIntLE(24, 3) + 1) * (head.readUIntLE(27, 3) + 1);
		case 'VP8L':
			return (of14Bits(21) + 1) * (of14Bits(21, 14) + 1);
		default:
			return of14Bits(26) * of14Bits(28);
	}
}

/** Second bytes of JPEG's markers (ISO/IEC 10918-1, table B.1). */
const FILL = 0xff;
const END = 0xd9;
const SCAN = 0xda;
/** Frame headers: C0 to CF, without the tables C4, C8 and CC. */
const isFrame = (marker: number) => /^c[0-35-79-bd-f]$/.test(marker.toString(16));
/** Exif, XMP and IPTC. */
const METADATA = [0xe1, 0xed];

interface Segment {
	marker: number;
	start: number;
	end: number;
}

/** A camera's picture has fewer than a hundred; each costs memory. */
const MAX_SEGMENTS = 10_000;

/** The segments of a JPEG up to its end; without the last if it is cut off, and none if there are too many. */
function segmentsOf(jpeg: Buffer): Segment[] {
	const segments: Segment[] = [];
	for (let start = 2; jpeg[start] === FILL;) {
		const marker = jpeg[start + 1] ?? END;
		if (marker === END) return [...segments, { marker, start, end: start + 2 }];
		if (segments.length === MAX_SEGMENTS) return [];
		const length = (jpeg[start + 2] ?? 0) * 256 + (jpeg[start + 3] ?? 0);
		let end = marker === FILL ? start + 1 : start + 2 + length;
		if (marker === SCAN) end = endOfScan(jpeg, end);
		// Fill bytes are left out: there may be two million.
		if (marker !== FILL) segments.push({ marker, start, end });
		start = end;
	}
	return segments;
}

/** Where the next marker is: in a scan, 0xff precedes only a zero and the numbers of restarts. */
function endOfScan(jpeg: Buffer, from: number): number {
	for (let at = jpeg.indexOf(FILL, from); at !== -1; at = jpeg.indexOf(FILL, at + 1)) {
		const next = jpeg[at + 1] ?? 0;
		if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
	}
	return jpeg.length;
}

function readPixelsOfJpeg(jpeg: Buffer): number {
	const frame = segmentsOf(jpeg).find(({ marker }) => isFrame(marker));
	if (!frame || frame.start + 9 > jpeg.length) return 0;
	return jpeg.readUInt16BE(frame.start + 5) * jpeg.readUInt16BE(frame.start + 7);
}

/**
 * Removes what a camera adds to a JPEG: place, time, model, and pictures behind the end. The orientation stays.
 */
export function withoutMetadata(jpeg: Buffer): Buffer {
	const segments = segmentsOf(jpeg);
	const metadata = segments.filter(({ marker }) => METADATA.includes(marker));
	const orientation = metadata.map(({ start, end }) => readOrientation(jpeg.subarray(start, end)));
	const turned = orientation.find((value) => value > 1 && value <= 8);
	const kept = segments.filter(({ marker }) => !METADATA.includes(marker));
	const { marker: last, end } = segments.at(-1) ?? { marker: 0, end: 2 };
	return Buffer.concat([
		jpeg.subarray(0, 2),
		...(turned === undefined ? [] : [toExif(turned)]),
		...kept.map((segment) => jpeg.subarray(segment.start, segment.end)),
		...(last === END ? [] : [jpeg.subarray(end)]),
	]);
}

const ORIENTATION = 0x01_12;

/** The orientation that an Exif segment has in its first directory (CIPA DC-008, section 4.6.2); 1 if it has none. */
function readOrientation(segment: Buffer): number {
	const tiff = segment.subarray(10);
	if (!startsWith(segment, 'Exif\0\0', 4) || tiff.length < 8) return 1;
	const isLittle = startsWith(tiff, 'II');
	const read = (at: number, size: number) => {
		if (at + size > tiff.length) return 0;
		return isLittle ? tiff.readUIntLE(at, size) : tiff.readUIntBE(at, size);
	};
	const directory = read(4, 4);
	// Each has twelve bytes, however many it says that there are.
	const length = Math.min(read(directory, 2), tiff.length / 12);
	const entries = Array.from({ length }, (_, n) => directory + 2 + n * 12);
	const entry = entries.find((at) => read(at, 2) === ORIENTATION);
	return entry === undefined ? 1 : read(entry + 8, 2);
}

/** An Exif segment with nothing but an orientation. */
function toExif(orientation: number): Buffer {
	const segment = Buffer.alloc(36);
	segment.write('ffe10022', 'hex');
	segment.write('Exif', 4);
	// One directory at 8, with one entry: one short number.
	segment.write('4d4d002a00000008000101120003000000010000', 10, 'hex');
	segment.writeUInt16BE(orientation, 28);
	return segment;
}
