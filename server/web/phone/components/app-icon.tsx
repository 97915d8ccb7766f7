import { useId } from 'react';

/** Beckon's app icon: a beckoning lighthouse lamp. */
export function AppIcon({ className = '' }: { className?: string }) {
	const id = useId();
	return (
		<svg
			className={`app-icon ${className}`}
			viewBox="0 0 64 64"
			aria-hidden="true"
			focusable="false"
		>
			<defs>
				<linearGradient id={`${id}sky`} x1="0" y1="0" x2="0.6" y2="1">
					<stop offset="0" stopColor="#3a2bd6" />
					<stop offset="0.55" stopColor="#a034d8" />
					<stop offset="1" stopColor="#ff7a59" />
				</linearGradient>
				<linearGradient id={`${id}beam`} x1="0" y1="0" x2="1" y2="0">
					<stop offset="0" stopColor="#fff" stopOpacity="0.85" />
					<stop offset="1" stopColor="#fff" stopOpacity="0" />
				</linearGradient>
			</defs>
			<rect width="64" height="64" fill={`url(#${id}sky)`} />
			<path d="M26 23L64 8v26z" fill={`url(#${id}beam)`} />
			<path d="M26 23L0 16v13z" fill="#fff" opacity="0.28" />
			<path d="M20.5 29h11l3.5 27h-18z" fill="#fff" />
			<path d="M19.3 38.5h13.4l1 7.5H18.3z" fill="#ff5d5d" />
			<path d="M20 16.5h12V29H20z" fill="#fff" />
			<path d="M22.5 19h7v7.5h-7z" fill="#ffd24a" />
			<path d="M18.5 17L26 9.5l7.5 7.5z" fill="#fff" />
			<path d="M17.5 27.5h17v3h-17z" fill="#fff" />
		</svg>
	);
}
