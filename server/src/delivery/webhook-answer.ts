import {
	MAX_WEBHOOK_ANSWER_BYTES,
	webhookAnswer,
	type WebhookAnswer,
} from '../contract/webhook-answer.ts';

/** `application/json`, or a type that is JSON underneath (RFC 6838 section 4.2.8). */
const JSON_TYPE = /^application\/(json|[\w.+-]+\+json)\b/i;

/**
 * Reads a webhook's answer. Returns an empty object if the answer is not a JSON object or is too large; the
 * rest is not read. Only the contract's two fields are kept, so a sender cannot make the server read pages on
 * their behalf.
 * @throws any error of the stream before the end of a JSON answer
 */
export async function readWebhookAnswer(
	body: AsyncIterable<Uint8Array> & { destroy(): unknown },
	contentType: string,
): Promise<WebhookAnswer> {
	const text = JSON_TYPE.test(contentType) ? await readText(body) : undefined;
	body.destroy();
	if (text === undefined) return {};
	try {
		return webhookAnswer.safeParse(JSON.parse(text)).data ?? {};
	} catch {
		return {};
	}
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (bytes > MAX_WEBHOOK_ANSWER_BYTES) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString('utf8');
}
