import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { AppIcon } from '../../phone/components/app-icon.tsx';

/** The frame of the sign-in and join pages. */
export function Gate({ title, children }: { title: string; children: ReactNode }) {
	return (
		<main className="gate">
			<Paper className="gate-card" withBorder shadow="md" p="xl">
				<AppIcon className="gate-icon" />
				<Title order={1} size="h3" ta="center">
					{title}
				</Title>
				{children}
			</Paper>
		</main>
	);
}
