import { createCipheriv, createECDH, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import type { PushSubscription } from '../../contract/device.ts';

const CURVE = 'prime256v1';
const POINT_BYTES = 65;
const AUTH_BYTES = 16;

/** One record holds the whole message (RFC 8291 section 4). */
const RECORD_BYTES = 4_096;

const KEY_INFO = Buffer.from('Content-Encoding: aes128gcm\0');
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0');
const SECRET_INFO = Buffer.from('WebPush: info\0');
/** Ends the last record (RFC 8188 section 2). */
const DELIMITER = Buffer.from([2]);

/** True if a subscription's keys are usable for encryption: a point of P-256 and 16 bytes. */
export function isUsable({ p256dh, auth }: PushSubscription['keys']): boolean {
	const point = Buffer.from(p256dh, 'base64url');
	if (point.length !== POINT_BYTES || Buffer.from(auth, 'base64url').length !== AUTH_BYTES)
		return false;
	const ecdh = createECDH(CURVE);
	ecdh.generateKeys();
	try {
		ecdh.computeSecret(point);
		return true;
	} catch {
		return false;
	}
}

/** The values that a sender creates for every message. */
interface SenderSecrets {
	privateKey: Buffer;
	/** 16 bytes. */
	salt: Buffer;
}

/** Created once; gets new keys for every message. */
const sender = createECDH(CURVE);

/**
 * Encrypts the text so that only the subscription's browser can read it: one record of aes128gcm (RFC 8188)
 * under keys that only the browser and this message share (RFC 8291).
 *
 * Our own code because it is faster than the `web-push` library's (server/bench/results/delivery.md).
 */
export function encrypt(text: string, keys: PushSubscription['keys'], secrets?: SenderSecrets) {
	const { p256dh, auth } = keys;
	const receiverKey = Buffer.from(p256dh, 'base64url');
	if (secrets) sender.setPrivateKey(secrets.privateKey);
	else sender.generateKeys();
	const senderKey = sender.getPublicKey();
	const salt = secrets?.salt ?? randomBytes(16);

	const secret = hkdfSync(
		'sha256',
		sender.computeSecret(receiverKey),
		Buffer.from(auth, 'base64url'),
		Buffer.concat([SECRET_INFO, receiverKey, senderKey]),
		32,
	);
	const material = createSecretKey(new Uint8Array(secret));
	const derive = (info: Buffer, length: number) =>
		new Uint8Array(hkdfSync('sha256', material, salt, info, length));
	const cipher = createCipheriv('aes-128-gcm', derive(KEY_INFO, 16), derive(NONCE_INFO, 12));
	const head = Buffer.allocUnsafe(5);
	head.writeUInt32BE(RECORD_BYTES);
	head.writeUInt8(POINT_BYTES, 4);
	return Buffer.concat([
		salt,
		head,
		senderKey,
		cipher.update(text),
		cipher.update(DELIMITER),
		cipher.final(),
		cipher.getAuthTag(),
	]);
}
