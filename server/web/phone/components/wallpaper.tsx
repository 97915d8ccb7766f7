import { memo } from 'react';

/**
 * A coast with a lighthouse, at dusk in dark mode and by day in light mode; the colors are in
 * wallpaper.css. Drawn once: nothing behind the cards moves, so scrolling stays cheap.
 */
export const Wallpaper = memo(function Wallpaper() {
	return (
		<svg
			className="wallpaper"
			viewBox="0 0 393 852"
			preserveAspectRatio="xMidYMin slice"
			aria-hidden="true"
			focusable="false"
		>
			<defs>
				<linearGradient id="wp-sky" x1="0" y1="0" x2="0" y2="1">
					<stop className="wp-sky-1" offset="0" />
					<stop className="wp-sky-2" offset="0.35" />
					<stop className="wp-sky-3" offset="0.62" />
					<stop className="wp-sky-4" offset="0.82" />
				</linearGradient>
				<radialGradient id="wp-glow" cx="0.28" cy="0.7" r="0.75">
					<stop className="wp-glow-1" offset="0" />
					<stop className="wp-glow-2" offset="1" />
				</radialGradient>
				<linearGradient id="wp-beam" x1="1" y1="0" x2="0" y2="0">
					<stop className="wp-beam-1" offset="0" />
					<stop className="wp-beam-2" offset="1" />
				</linearGradient>
				<linearGradient id="wp-sea" x1="0" y1="0" x2="0" y2="1">
					<stop className="wp-sea-1" offset="0" />
					<stop className="wp-sea-2" offset="1" />
				</linearGradient>
			</defs>
			<rect width="393" height="852" fill="url(#wp-sky)" />
			<rect width="393" height="852" fill="url(#wp-glow)" />
			<path
				className="wp-stars"
				d="M38 74h.1M92 128h.1M141 52h.1M61 232h.1M208 92h.1M262 40h.1M318 118h.1M356 66h.1M290 196h.1M364 224h.1M176 212h.1M22 168h.1M238 164h.1M120 286h.1M334 298h.1M48 340h.1"
			/>
			<path className="wp-far" d="M0 640C60 596 104 604 150 622s84 6 128-26 84-24 115-10v266H0z" />
			<path className="wp-mid" d="M0 690c48-34 92-30 140-8s96 14 140-16 82-26 113-12v198H0z" />
			<path fill="url(#wp-beam)" d="M318 604L-40 486v150z" />
			<rect y="724" width="393" height="128" fill="url(#wp-sea)" />
			<path className="wp-near" d="M393 690c-34-6-62 2-84 22s-58 24-86 44-52 40-52 96h222z" />
			<path
				className="wp-tower"
				d="M310 618h16l5 88h-26zM308 612h20v6h-20zM311 597h14v15h-14zM309 597l9-10 9 10z"
			/>
			<path className="wp-lamp" d="M313.5 600h9v10h-9z" />
		</svg>
	);
});
