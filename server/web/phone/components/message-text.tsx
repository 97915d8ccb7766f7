import { lazy, Suspense } from 'react';
import type { Notification as Push } from '../../../src/contract/shown.ts';
import type { WholeMessage } from '../hooks/use-whole-message.ts';
import { RichText } from './rich-text.tsx';

const Markdown = lazy(() => import('./markdown.tsx'));

/** A question is plain text, even if an older server has marked it as Markdown. */
export const isMarkdown = ({ markdown, question }: Push): boolean =>
	markdown === true && question === undefined;

/** Stands below a message whose rest is missing. */
export function MissingRest({ missing, retry }: Pick<WholeMessage, 'missing' | 'retry'>) {
	if (missing === undefined) return null;
	if (missing === 'loading') return <p role="status">Loading the rest…</p>;
	return (
		<button type="button" className="pill-button" onClick={retry}>
			Load the rest
		</button>
	);
}

/** The text of a message: as it was sent, unless its sender has marked it as Markdown. */
export function MessageText({ text, isMarkdown = false }: { text: string; isMarkdown?: boolean }) {
	const plain = <RichText text={text} />;
	if (!isMarkdown) return plain;
	return (
		<Suspense fallback={plain}>
			<Markdown text={text} />
		</Suspense>
	);
}
