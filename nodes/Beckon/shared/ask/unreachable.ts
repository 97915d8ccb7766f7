import { isObject, refusalIn, type Answer } from '../../../../src/rules/answer';

/** True if the service refused the address that the buttons call: plain http, or not a web address. */
export function isRefusedUrl(answer: Answer): boolean {
	const issues = refusalIn(answer)?.['issues'];
	if (answer.status !== 400 || !Array.isArray(issues)) return false;
	return issues.some((issue) => isObject(issue) && isButtonUrl(issue['path']));
}

function isButtonUrl(path: unknown): boolean {
	return typeof path === 'string' && /^(actions\[\d+\]|action|secondary_action)\.url$/.test(path);
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
