import { type ReactNode, useEffect, useRef } from 'react';
import { useBack } from '../hooks/use-back.ts';
import { useReturnFocus } from '../hooks/use-return-focus.ts';
import { Glyph } from '../symbols/symbol.tsx';

interface CoveringScreenProps {
	title: string;
	onClose: () => void;
	children: ReactNode;
}

/** A screen over the lock screen, with a way back. */
export function CoveringScreen({ title, onClose, children }: CoveringScreenProps) {
	const screen = useRef<HTMLElement>(null);
	useReturnFocus();
	useBack(true, onClose);
	useEffect(() => screen.current?.focus(), []);
	return (
		<main>
			<section
				className="history"
				ref={screen}
				tabIndex={-1}
				aria-label={title}
				onKeyDown={(event) => event.key === 'Escape' && onClose()}
			>
				<header className="history-head">
					<button type="button" className="history-back" aria-label="Back" onClick={onClose}>
						<Glyph name="back" />
					</button>
					<h1>{title}</h1>
				</header>
				{children}
			</section>
		</main>
	);
}
