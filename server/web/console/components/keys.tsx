import { Kbd, Modal, Table } from '@mantine/core';
import { useEffect, useState } from 'react';

const KEYS: ReadonlyArray<[key: string, does: string]> = [
	['/', 'Search this page, or the history'],
	['?', 'Show these keys'],
	['Esc', 'Close what is open'],
	['Enter', 'Open the entry that has the focus'],
];

const findSearch = () => document.querySelector<HTMLInputElement>('search input');

/** Focuses the page's search or, if it has none, opens the history and focuses the search there. */
function search(): void {
	const found = findSearch();
	if (found) {
		found.focus();
		return;
	}
	window.location.hash = '#/history';
	const observer = new MutationObserver(() => {
		if (!findSearch()) return;
		observer.disconnect();
		findSearch()?.focus();
	});
	observer.observe(document.body, { childList: true, subtree: true });
}

function isTyping(target: EventTarget | null): boolean {
	return target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
}

/** The keyboard shortcuts that work everywhere, except while the person types or a dialog is open. */
export function useKeys() {
	const [isShown, setIsShown] = useState(false);
	useEffect(() => {
		const onKey = (event: KeyboardEvent) => {
			const isOther = event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented;
			if (isOther || isTyping(event.target) || document.querySelector('[role="dialog"]')) return;
			if (event.key === '/') search();
			else if (event.key === '?') setIsShown(true);
			else return;
			// Otherwise the key would also be typed into the search, or open the browser's own.
			event.preventDefault();
		};
		document.addEventListener('keydown', onKey);
		return () => document.removeEventListener('keydown', onKey);
	}, []);
	return { isShown, hide: () => setIsShown(false) };
}

export function KeysDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
	return (
		<Modal opened={opened} onClose={onClose} title="Keys">
			<Table>
				<Table.Tbody>
					{KEYS.map(([key, does]) => (
						<Table.Tr key={key}>
							<Table.Td>
								<Kbd>{key}</Kbd>
							</Table.Td>
							<Table.Td>{does}</Table.Td>
						</Table.Tr>
					))}
				</Table.Tbody>
			</Table>
		</Modal>
	);
}
