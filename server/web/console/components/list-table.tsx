import { Table, type TableProps } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface ListTableProps extends TableProps {
	/** The name of the list. */
	label: string;
	/** Column heads; a row's actions have an extra column at the end. */
	columns: readonly string[];
	hasActions?: boolean;
	children: ReactNode;
}

/** A list with one row per item, each a card on a narrow screen. */
export function ListTable({
	label,
	columns,
	hasActions = false,
	children,
	...look
}: ListTableProps) {
	const table = useRef<HTMLTableElement>(null);
	// On a narrow screen a row is a card, whose parts show the column's head.
	useLayoutEffect(() => {
		for (const row of table.current?.tBodies[0]?.rows ?? [])
			for (const [index, cell] of [...row.cells].entries())
				cell.dataset['head'] = columns[index] ?? '';
	});
	return (
		// Focusable, so that the keyboard can scroll it.
		<div className="table-box" role="group" aria-label={label} tabIndex={0}>
			<Table ref={table} className="list" verticalSpacing="sm" {...look}>
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
