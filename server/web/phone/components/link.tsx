import type { ComponentProps } from 'react';
import type { SafeLink } from '../../device/safe-url.ts';

/** A real link: it opens within the click itself, so no pop-up blocker interferes. A web page gets a tab of its own. */
export function Link({ link, ...props }: ComponentProps<'a'> & { link: SafeLink }) {
	return (
		<a
			{...props}
			href={link.href}
			target={link.isWeb ? '_blank' : undefined}
			rel="noopener noreferrer"
		/>
	);
}
