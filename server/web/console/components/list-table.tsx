import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface ListTableProps {
	/** Their heads; what can be done with a row has a column of its own behind them. */
	columns: readonly string[];
	hasActions?: boolean;
	children: ReactNode;
}

/** A list with a row for each thing, which scrolls sideways where the screen is narrow. */
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
