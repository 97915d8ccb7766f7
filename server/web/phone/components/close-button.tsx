import { Glyph } from '../symbols/symbol.tsx';

/** Shown on hover and focus; with a finger one swipes instead. */
export function CloseButton({ label, onClose }: { label: string; onClose: () => void }) {
	return (
		<button type="button" className="close-button" aria-label={label} onClick={onClose}>
			<Glyph name="cross" />
		</button>
	);
}
