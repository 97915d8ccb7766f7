/** The only style of the pages. Its hash is in the policy below; a test keeps the two in step. */
export const STYLE =
	'body{font:18px/1.4 system-ui,sans-serif;max-width:28rem;margin:12vh auto;padding:0 1rem;color:#1e2a3a}p{white-space:pre-wrap}button{font:inherit;margin:.5rem .5rem 0 0;padding:.6rem 1.4rem;border:0;border-radius:.6rem;background:#1e2a3a;color:#fff}';

const STYLE_HASH = 'sha256-RrKvF0NVPngAQX+WlcdnQjUMiasWGXMM+cFFvJFP50A=';

/** No script, no other origin, no frame: the pages are text and a form. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
	'Content-Type': 'text/html; charset=utf-8',
	'Content-Security-Policy': `default-src 'none'; style-src '${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Robots-Tag': 'noindex',
};

const ESCAPES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

function page(title: string, content: string): string {
	return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><h1>${escaped(title)}</h1>${content}</body></html>`;
}

/** Repeats the phone's question in the browser; only the form's POST answers it. */
export function questionPage(title: string, message: string, labels: readonly string[]): string {
	const buttons = labels
		.map((label) => `<button name="choice" value="${escaped(label)}">${escaped(label)}</button>`)
		.join('');
	return page(title, `<p>${escaped(message)}</p><form method="post">${buttons}</form>`);
}

export function notePage(title: string, text: string): string {
	return page(title, `<p>${escaped(text)}</p>`);
}
