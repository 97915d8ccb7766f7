import { useEffect, useState } from 'react';
import { copyText } from '../copy-text.ts';
import { textParts } from '../../device/text-parts.ts';
import { Link } from './link.tsx';

/** A text as it was sent, in which links, mail addresses and phone numbers open, and codes are copied. */
export function RichText({ text }: { text: string }) {
	return textParts(text).map(({ text, href, isCode }, index) => {
		if (isCode)
			return (
				<CopyButton key={index} className="code" text={text} label={text} name={`Copy ${text}`} />
			);
		if (href === undefined) return text;
		return (
			<Link key={index} className="text-link" link={{ href, isWeb: href.startsWith('http') }}>
				{text}
			</Link>
		);
	});
}

const COPIED_FOR_MS = 2_000;

interface CopyButtonProps {
	text: string;
	label: string;
	/** For a screen reader. */
	name: string;
	className: string;
}

/** Copies a text, and says whether it has. */
export function CopyButton({ text, label, name, className }: CopyButtonProps) {
	const [result, setResult] = useState('');
	useEffect(() => {
		if (result === '') return undefined;
		const timer = setTimeout(() => setResult(''), COPIED_FOR_MS);
		return () => clearTimeout(timer);
	}, [result]);
	const copy = async () =>
		setResult(
			(await copyText(text))
				? 'Copied'
				: 'Not copied: the browser does not allow it. Select the text instead.',
		);
	return (
		<span className="copying">
			<button type="button" className={className} aria-label={name} onClick={() => void copy()}>
				{label}
			</button>
			<span className="copied" role="status">
				{result}
			</span>
		</span>
	);
}
