import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PUBLIC = 'https://beckon.example.com';

const segment = (marker: number, content: Buffer | string) => {
	const bytes = Buffer.from(content as string, 'latin1');
	return Buffer.concat([
		Buffer.from([0xff, marker, (bytes.length + 2) >> 8, (bytes.length + 2) & 0xff]),
		bytes,
	]);
};
const sized = (bytes: number, write: (buffer: Buffer) => void) => {
	const buffer = Buffer.alloc(bytes);
	write(buffer);
	return buffer;
};

const START = Buffer.from([0xff, 0xd8]);
const END = Buffer.from([0xff, 0xd9]);
const JFIF = segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\0\0');

/** An Exif segment with a place, and with an orientation in either order of bytes. */
const exif = (order: 'MM' | 'II', orientation: number) => {
	const tiff = sized(26, (buffer) => {
		const write = (at: number, value: number, size: number) =>
			order === 'MM' ? buffer.writeUIntBE(value, at, size) : buffer.writeUIntLE(value, at, size);
		buffer.write(order);
		write(2, 42, 2);
		write(4, 8, 4);
		write(8, 1, 2);
		write(10, 0x01_12, 2);
		write(12, 3, 2);
		write(14, 1, 4);
		write(18, orientation, 2);
	});
	return segment(0xe1, `Exif\0\0${tiff.toString('latin1')}52.5163 N, 13.3777 E`);
};

const frame = (width: number, height: number, marker = 0xc0) =>
	segment(
		marker,
		sized(15, (buffer) => {
			buffer.writeUInt8(8);
			buffer.writeUInt16BE(height, 1);
			buffer.writeUInt16BE(width, 3);
		}),
	);

/** A scan with an escaped 0xff, a restart and a further scan. */
const SCANS = Buffer.concat([
	segment(0xda, '\x01\x01\0\0\x3f\0'),
	Buffer.from([1, 0xff, 0, 2, 0xff, 0xd0, 3]),
	segment(0xc4, '\0\xff\xd9'),
	segment(0xda, '\x01\x01\0\0\x3f\0'),
	Buffer.from([4, 5]),
]);

const PICTURES = {
	png: (width: number, height: number) =>
		sized(33, (buffer) => {
			buffer.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
			buffer.writeUInt32BE(width, 16);
			buffer.writeUInt32BE(height, 20);
		}),
	gif: (width: number, height: number) =>
		sized(13, (buffer) => {
			buffer.write('GIF89a');
			buffer.writeUInt16LE(width, 6);
			buffer.writeUInt16LE(height, 8);
		}),
	'webp, lossy': (width: number, height: number) =>
		sized(40, (buffer) => {
			buffer.write('RIFF____WEBPVP8 ');
			buffer.writeUInt16LE(width, 26);
			buffer.writeUInt16LE(height, 28);
		}),
	'webp, lossless': (width: number, height: number) =>
		sized(40, (buffer) => {
			buffer.write('RIFF____WEBPVP8L');
			buffer.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
		}),
	'webp, extended': (width: number, height: number) =>
		sized(40, (buffer) => {
			buffer.write('RIFF____WEBPVP8X');
			buffer.writeUIntLE(width - 1, 24, 3);
			buffer.writeUIntLE(height - 1, 27, 3);
		}),
	jpeg: (width: number, height: number) =>
		Buffer.concat([START, JFIF, exif('MM', 1), frame(width, height), SCANS, END]),
	'jpeg, progressive': (width: number, height: number) =>
		Buffer.concat([START, segment(0xc4, 'table'), frame(width, height, 0xc2), SCANS, END]),
};

describe('the content of a picture', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: { ...UNLIMITED, BECKON_PUBLIC_URL: PUBLIC } });
	});
	afterEach(() => server.close());

	const store = async (bytes: Buffer) => {
		const response = await server.app.inject({
			method: 'POST',
			url: '/api/images',
			headers: {
				authorization: `Bearer ${server.account.key}`,
				'content-type': 'application/octet-stream',
			},
			payload: bytes,
		});
		return { status: response.statusCode, body: response.json() };
	};
	const stored = async (bytes: Buffer) => {
		const { status, body } = await store(bytes);
		expect(status).toBe(200);
		const { rawPayload } = await server.app.inject({
			method: 'GET',
			url: body.url.slice(PUBLIC.length),
		});
		return rawPayload;
	};

	it.each(Object.entries(PICTURES))('has at most 50 million pixels: %s', async (_kind, picture) => {
		expect((await store(picture(10_000, 5_000))).status).toBe(200);
		const { status, body } = await store(picture(10_001, 5_000));
		expect([status, body.message]).toEqual([
			400,
			'A picture can have at most 50 million pixels. Make it smaller.',
		]);
	});

	it.each(['heic', 'heix', 'mif1'])('is not one that few browsers show: %s', async (brand) => {
		const { status, body } = await store(Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0`, 'latin1'));
		expect([status, body.message]).toEqual([400, expect.stringContaining('Most Compatible')]);
	});

	describe('of a JPEG', () => {
		it.each(['MM', 'II'] as const)(
			'keeps the orientation, but not the place and the camera (%s)',
			async (order) => {
				const whole = Buffer.concat([
					...[START, JFIF, exif(order, 6), segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0place')],
					...[segment(0xed, 'Photoshop 3.0\0city'), frame(40, 30), SCANS, END],
					// A second picture behind the first, as some phones add it.
					...[START, exif(order, 6), END],
				]);
				const turned = segment(0xe1, `Exif\0\0${exif('MM', 6).toString('latin1', 10, 36)}`);
				const bytes = await stored(whole);
				expect(bytes.equals(Buffer.concat([START, turned, JFIF, frame(40, 30), SCANS, END]))).toBe(
					true,
				);
			},
		);

		it('needs no orientation if it stands upright', async () => {
			const bytes = await stored(Buffer.concat([START, exif('MM', 1), frame(40, 30), SCANS, END]));
			expect(bytes.equals(Buffer.concat([START, frame(40, 30), SCANS, END]))).toBe(true);
		});

		it('that is cut off anywhere is stored as far as it goes', async () => {
			const whole = Buffer.concat([START, JFIF, exif('II', 6), frame(40, 30), SCANS, END]);
			for (let length = 3; length < whole.length; length += 1)
				expect((await store(whole.subarray(0, length))).status).toBe(200);
		});
	});
});
