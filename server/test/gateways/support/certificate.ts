import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** Tag, length and value in ASN.1's distinguished encoding (X.690). */
function der(tag: number, ...contents: Buffer[]): Buffer {
	const value = Buffer.concat(contents);
	const length =
		value.length < 128
			? Buffer.from([value.length])
			: Buffer.from([0x82, value.length >> 8, value.length & 255]);
	return Buffer.concat([Buffer.from([tag]), length, value]);
}

const sequence = (...contents: Buffer[]) => der(0x30, ...contents);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const octets = (value: Buffer) => der(0x04, value);
const utcTime = (time: Date) =>
	der(0x17, Buffer.from(`${time.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const commonName = (name: string) =>
	sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
const DAY_MS = 24 * 60 * 60 * 1_000;

export interface Certificate {
	key: KeyObject;
	/** PEM. */
	cert: string;
}

/** A certificate for localhost and 127.0.0.1 that is its own authority. */
export const selfSigned = () => certificate('Beckon test stand-in');

/**
 * A certificate (RFC 5280), as Node cannot make one.
 * @param name of whom it is for
 * @param authority signs it; by default, itself
 * @param limits the days from now on which it is valid, and the address beside localhost
 */
export function certificate(
	name: string,
	authority?: { name: string; key: KeyObject },
	{
		days = [-1, 1],
		address = [127, 0, 0, 1],
	}: { days?: [number, number]; address?: number[] } = {},
): Certificate {
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from(address)));
	const extensions = sequence(
		sequence(oid('551d11'), octets(names)),
		...(authority
			? []
			: [sequence(oid('551d13'), octets(sequence(der(0x01, Buffer.from([255])))))]),
	);
	const body = sequence(
		der(0xa0, der(0x02, Buffer.from([2]))),
		der(0x02, Buffer.from([1])),
		ECDSA_WITH_SHA256,
		commonName(authority?.name ?? name),
		sequence(...days.map((day) => utcTime(new Date(Date.now() + day * DAY_MS)))),
		commonName(name),
		publicKey.export({ type: 'spki', format: 'der' }),
		der(0xa3, extensions),
	);
	const signature = createSign('sha256')
		.update(body)
		.sign(authority?.key ?? privateKey);
	const signed = sequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
	const base64 = signed.toString('base64').replaceAll(/.{64}/g, '$&\n');
	return {
		key: privateKey,
		cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
	};
}
