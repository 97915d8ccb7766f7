import type { Answer } from '../../../../src/rules/answer';
import { issuesIn } from '../../../shared/errors/explanation';

const BUTTON_URL = /^(actions\[\d+\]|action|secondary_action)\.url$/;

/** True if the service refused the address that the buttons call: plain http, or not a web address. */
export function isRefusedUrl(answer: Answer): boolean {
	return answer.status === 400 && issuesIn(answer).some(({ path }) => BUTTON_URL.test(path));
}

/** @param resumeUrl called by the buttons; the advice names only its origin, because the rest is secret */
export function reachAdvice(resumeUrl: string): string {
	const origin = /^[a-z]+:\/\/[^/?#]+/i.exec(resumeUrl)?.[0] ?? resumeUrl;
	return [
		`The buttons call n8n at ${origin}, and the Beckon server must be able to reach it there.`,
		'It calls http and private addresses only with the setting BECKON_WEBHOOK_ALLOW_PRIVATE=true:',
		'set it on the Beckon server and start the server again,',
		"or set n8n's WEBHOOK_URL to its public https address.",
	].join(' ');
}
