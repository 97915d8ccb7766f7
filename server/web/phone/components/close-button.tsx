import { Glyph } from '../symbols/symbol.tsx';

/** Shown on hover and focus; on a touch screen, swiping does the same. */
export function CloseButton({ label, onClose }: { label: string; onClose: () => void }) {
	return (
		<button type="button" className="close-button" aria-label={label} onClick={onClose}>
			<Glyph name="cross" />
		</button>
	);
}
