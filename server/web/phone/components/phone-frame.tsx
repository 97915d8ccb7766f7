import type { ReactNode } from 'react';
import { Wallpaper } from './wallpaper.tsx';

interface PhoneFrameProps {
	children: ReactNode;
	/** Shown beside the phone if there is room. */
	aside?: ReactNode;
}

/** On a desktop the page draws a phone on a table; on a phone the page is the phone. */
export function PhoneFrame({ children, aside }: PhoneFrameProps) {
	return (
		<div className="table">
			<div className="phone">
				<div className="screen">
					<Wallpaper />
					<div className="island" aria-hidden="true" />
					{children}
					<div className="home-bar" aria-hidden="true" />
				</div>
			</div>
			{aside !== undefined && <aside className="beside">{aside}</aside>}
		</div>
	);
}
