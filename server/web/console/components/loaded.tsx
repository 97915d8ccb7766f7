import { type ReactNode, Suspense } from 'react';
import { LoadBoundary } from './load-boundary.tsx';
import { Loading } from './page.tsx';

/** A page whose code may still be loading. */
export function Loaded({ children }: { children: ReactNode }) {
	return (
		<LoadBoundary>
			<Suspense fallback={<Loading />}>{children}</Suspense>
		</LoadBoundary>
	);
}
