import { describe, expect, it } from '@jest/globals';
import { encrypt, isUsable } from '../../src/delivery/webpush/encrypt.ts';

/** RFC 8291 section 5 and appendix A. */
const EXAMPLE = {
	text: 'When I grow up, I want to be a watermelon',
	keys: {
		auth: 'BTBZMqHH6r4Tts7J_aSIgg',
		p256dh:
			'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
	},
	/** The sender's private key. */
	sender: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
	salt: 'DGv6ra1nlYgDCS1FRnbzlw',
	encrypted:
		'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml' +
		'mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT' +
		'pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

const bytes = (text: string) => Buffer.from(text, 'base64url');

describe('a message for a browser', () => {
	it('is encrypted as in the example of RFC 8291', () => {
		const { text, keys, sender, salt } = EXAMPLE;
		const secrets = { privateKey: bytes(sender), salt: bytes(salt) };
		const encrypted = encrypt(text, keys, secrets);
		expect(encrypted.toString('base64url')).toBe(EXAMPLE.encrypted);
	});

	it('has a key pair and a salt of its own', () => {
		const first = encrypt(EXAMPLE.text, EXAMPLE.keys);
		const second = encrypt(EXAMPLE.text, EXAMPLE.keys);
		const saltOf = (message: Buffer) => message.subarray(0, 16).toString('hex');
		const senderOf = (message: Buffer) => message.subarray(21, 86).toString('hex');
		expect(saltOf(first)).not.toBe(saltOf(second));
		expect(senderOf(first)).not.toBe(senderOf(second));
		expect(first).toHaveLength(bytes(EXAMPLE.encrypted).length);
	});
});

describe('the keys of a subscription', () => {
	const { p256dh, auth } = EXAMPLE.keys;
	const offTheCurve = bytes(p256dh);
	offTheCurve[64]! ^= 1;

	it('are usable as browsers give them', () => {
		expect(isUsable(EXAMPLE.keys)).toBe(true);
	});

	it.each([
		['a point beside the curve', { p256dh: offTheCurve.toString('base64url'), auth }],
		[
			'a compressed point',
			{ p256dh: bytes(`Ag${p256dh.slice(2, 44)}`).toString('base64url'), auth },
		],
		['too few bytes', { p256dh: p256dh.slice(0, 80), auth }],
		['too many bytes', { p256dh: `${p256dh}AAAA`, auth }],
		['the point at infinity', { p256dh: 'AA', auth }],
		['a short secret', { p256dh, auth: auth.slice(0, 20) }],
		['no secret', { p256dh, auth: '' }],
	])('are not usable with %s', (_name, keys) => {
		expect(isUsable(keys)).toBe(false);
	});
});
