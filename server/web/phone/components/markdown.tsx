import { Fragment, type ReactNode } from 'react';
import { marked, type MarkedToken, type Token, type Tokens } from 'marked';
import { safeLink } from '../../device/safe-url.ts';
import { Link } from './link.tsx';
import { RichText } from './rich-text.tsx';

/**
 * A message that its sender has marked as Markdown. HTML in it is shown as text, a picture as a link, and every
 * link with the place it leads to. The default export is loaded with the first such message.
 */
export default function Markdown({ text }: { text: string }) {
	let tokens;
	try {
		tokens = marked.lexer(text, { gfm: true, breaks: true });
	} catch {
		// Quotes nested a thousand deep overflow its stack.
		return <RichText text={text} />;
	}
	return <div className="markdown">{toNodes(tokens)}</div>;
}

/** Nested elements: a few thousand would overflow the stack when drawn. Anything deeper is shown as Markdown source. */
const MAX_DEPTH = 100;

function toNodes(tokens: readonly Token[] = [], depth = 0): ReactNode {
	return tokens.map((token, index) => (
		<Fragment key={index}>{toNode(token as MarkedToken, depth + 1)}</Fragment>
	));
}

function toNode(token: MarkedToken, depth: number): ReactNode {
	if (depth > MAX_DEPTH) return token.raw;
	switch (token.type) {
		case 'space':
		case 'def':
			return null;
		case 'paragraph':
			return <p>{toNodes(token.tokens, depth)}</p>;
		case 'heading':
			return (
				<p>
					<strong>{toNodes(token.tokens, depth)}</strong>
				</p>
			);
		case 'blockquote':
			return <blockquote>{toNodes(token.tokens, depth)}</blockquote>;
		case 'list':
			return toList(token, depth);
		case 'checkbox':
			return token.checked ? '☑ ' : '☐ ';
		case 'code':
			return <pre>{token.text}</pre>;
		case 'table':
			return toTable(token, depth);
		case 'hr':
			return <hr />;
		case 'strong':
			return <strong>{toNodes(token.tokens, depth)}</strong>;
		case 'em':
			return <em>{toNodes(token.tokens, depth)}</em>;
		case 'del':
			return <del>{toNodes(token.tokens, depth)}</del>;
		case 'codespan':
			return <code>{token.text}</code>;
		case 'br':
			return <br />;
		case 'link':
		case 'image':
			return toLink(token);
		case 'text':
			return token.tokens ? toNodes(token.tokens, depth) : <RichText text={token.text} />;
		case 'escape':
			return token.text;
		default:
			return token.raw;
	}
}

function toList({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
	const points = items.map((item, index) => <li key={index}>{toNodes(item.tokens, depth)}</li>);
	return ordered ? <ol start={start === '' ? 1 : start}>{points}</ol> : <ul>{points}</ul>;
}

function toTable({ header, rows }: Tokens.Table, depth: number): ReactNode {
	return (
		<table>
			<thead>
				<tr>
					{header.map(({ tokens }, index) => (
						<th key={index}>{toNodes(tokens, depth)}</th>
					))}
				</tr>
			</thead>
			<tbody>
				{rows.map((row, index) => (
					<tr key={index}>
						{row.map(({ tokens }, index) => (
							<td key={index}>{toNodes(tokens, depth)}</td>
						))}
					</tr>
				))}
			</tbody>
		</table>
	);
}

function toLink({ href, text, raw }: Tokens.Link | Tokens.Image): ReactNode {
	const link = safeLink(href);
	if (link === undefined) return raw;
	const url = new URL(href);
	const where = url.host || `${url.protocol}${url.pathname}`;
	return (
		<Link className="text-link" link={link}>
			{[href, where].includes(text) ? text : `${text} (${where})`}
		</Link>
	);
}
