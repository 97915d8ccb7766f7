import { Button, Stack } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { Problem } from './page.tsx';

/**
 * Shown when a page's code cannot be loaded: without a connection, or after an update of the server, whose
 * new files have other names.
 */
export class LoadBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
	override state = { hasFailed: false };

	static getDerivedStateFromError(): { hasFailed: boolean } {
		return { hasFailed: true };
	}

	override render(): ReactNode {
		if (!this.state.hasFailed) return this.props.children;
		return (
			<Stack align="flex-start">
				<Problem message="This page could not be loaded. Check your connection, then reload." />
				<Button onClick={() => window.location.reload()}>Reload</Button>
			</Stack>
		);
	}
}
