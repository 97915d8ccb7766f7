import { GLYPHS, type GlyphName } from './glyphs.ts';
import { glyphFor } from './symbol-names.ts';

/** One of the page's own icons. Decorative: its meaning is always beside it in words. */
export function Glyph({ name, className = '' }: { name: GlyphName; className?: string }) {
	return (
		<svg className={`glyph ${className}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
			<path d={GLYPHS[name]} />
		</svg>
	);
}

/** The icon for a sender's symbol name. */
export function Symbol({ name }: { name: string }) {
	return <Glyph name={glyphFor(name)} />;
}
