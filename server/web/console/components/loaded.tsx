import { Center, Loader } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { LoadBoundary } from './load-boundary.tsx';

export const Loading = () => (
	<Center mih="60vh">
		<Loader aria-label="Loading" />
	</Center>
);

/** A page whose code may still be loading. */
export function Loaded({ children }: { children: ReactNode }) {
	return (
		<LoadBoundary>
			<Suspense fallback={<Loading />}>{children}</Suspense>
		</LoadBoundary>
	);
}
