import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface ListTableProps {
	/** Column heads; a row's actions have an extra column behind them. */
	columns: readonly string[];
	hasActions?: boolean;
	children: ReactNode;
}

/** A list with one row per item, which scrolls sideways on a narrow screen. */
export function ListTable({ columns, hasActions = false, children }: ListTableProps) {
	return (
		<div className="table-box">
			<Table verticalSpacing="sm">
				<Table.Thead>
					<Table.Tr>
						{columns.map((column) => (
							<Table.Th key={column}>{column}</Table.Th>
						))}
						{hasActions && (
							<Table.Th>
								<span className="visually-hidden">Actions</span>
							</Table.Th>
						)}
					</Table.Tr>
				</Table.Thead>
				<Table.Tbody>{children}</Table.Tbody>
			</Table>
		</div>
	);
}
