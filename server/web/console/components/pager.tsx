import { Button, Text } from '@mantine/core';
import { numberText } from '../locale.ts';

interface PagerProps {
	/** The listed things, such as "phones". */
	of: string;
	page: number;
	perPage: number;
	total: number;
	hrefTo: (page: string) => string;
}

/** Links to the previous and next pages; nothing if there is only one page. */
export function Pager({ of, page, perPage, total, hrefTo }: PagerProps) {
	if (total <= perPage) return null;
	const first = (page - 1) * perPage + 1;
	const last = Math.min(page * perPage, total);
	return (
		<nav className="pager" aria-label={`Pages of ${of}`}>
			{page > 1 && (
				<Button component="a" variant="default" href={hrefTo(String(page - 1))}>
					Previous
				</Button>
			)}
			{last < total && (
				<Button component="a" variant="default" href={hrefTo(String(page + 1))}>
					Next
				</Button>
			)}
			<Text c="dimmed" role="status">
				{numberText(first)}–{numberText(last)} of {numberText(total)} {of}
			</Text>
		</nav>
	);
}
