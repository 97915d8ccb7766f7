import { lazy, Suspense } from 'react';
import { RichText } from './rich-text.tsx';

const Markdown = lazy(() => import('./markdown.tsx'));

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
