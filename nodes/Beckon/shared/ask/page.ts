/**
 * The only style of the pages: a card like the phone's, by day and by night. Its hash is in the policy
 * below; a test keeps the two in step. A font of 17 pixels keeps iOS from zooming into a field.
 */
export const STYLE = [
	':root{color-scheme:light dark;--ink:#10131a;--dim:rgb(24 28 40/66%);--line:rgb(24 28 40/14%);--card:rgb(247 249 253);--back:#dfe5f0;--blue:#0a6ae6}',
	'@media(prefers-color-scheme:dark){:root{--ink:#f4f6fb;--dim:rgb(235 240 255/66%);--line:rgb(235 240 255/18%);--card:#1b2130;--back:#0b0f18;--blue:#3d8bff}}',
	'*{box-sizing:border-box}',
	'body{font:17px/1.4 -apple-system,system-ui,sans-serif;max-width:30rem;margin:0 auto;padding:max(1.25rem,env(safe-area-inset-top)) 1rem 2rem;color:var(--ink);background:var(--back)}',
	'main{padding:1.25rem;border-radius:1.4rem;background:var(--card)}',
	'h1{font-size:1.35rem;line-height:1.25;margin:0;overflow-wrap:anywhere}',
	'p{margin:.6rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere;color:var(--dim)}',
	'label,fieldset{display:block;margin:1.1rem 0 0;padding:0;border:0;font-weight:600}',
	'.choice{margin:.5rem 0 0;font-weight:400}',
	'legend{padding:0}',
	'input:not([type=checkbox],[type=radio]),textarea,select{display:block;width:100%;margin:.35rem 0 0;padding:.65rem .75rem;font:inherit;font-weight:400;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.75rem}',
	'em{display:block;margin:.3rem 0 0;font-style:normal;font-weight:400;color:#d0342c}',
	'button{font:inherit;font-weight:600;margin:1.1rem .5rem 0 0;padding:.7rem 1.5rem;border:0;border-radius:1rem;background:var(--blue);color:#fff}',
].join('');

const STYLE_HASH = 'sha256-Lq2/3SVNa3KQqwbC3nRGmJOTMJduVqgeIi2nG3U/wJU=';

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

export const escaped = (text: string) =>
	text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** @param content HTML, its texts escaped */
export function page(title: string, message: string, content = ''): string {
	const text = message === '' ? '' : `<p>${escaped(message)}</p>`;
	return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><main><h1>${escaped(title)}</h1>${text}${content}</main></body></html>`;
}
