import { Button, Text } from '@mantine/core';
import { PER_PAGE } from '../../../src/contract/values.ts';
import { numberText } from '../locale.ts';

function PageLink({ href, children }: { href: string; children: string }) {
	return (
		<Button component="a" variant="default" href={href}>
			{children}
		</Button>
	);
}

interface CursorPagerProps {
	/** The listed things, such as "questions". */
	of: string;
	/** The cursor of the page shown; empty: the newest. */
	page: string;
	/** The cursor of the next page; null: there is none. */
	next: string | null;
	older?: string;
	hrefTo: (part: { page: string }) => string;
}

/** Links to the newest and the older ones of a list whose pages have no numbers. */
export function CursorPager({ of, page, next, older = 'Older', hrefTo }: CursorPagerProps) {
	if (page === '' && next === null) return null;
	return (
		<nav className="pager" aria-label={`Pages of ${of}`}>
			{page !== '' && <PageLink href={hrefTo({ page: '' })}>Newest</PageLink>}
			{next !== null && <PageLink href={hrefTo({ page: next })}>{older}</PageLink>}
		</nav>
	);
}

interface PagerProps {
	/** The listed things, such as "phones". */
	of: string;
	page: number;
	total: number;
	hrefTo: (part: { page: string }) => string;
}

/** Links to the previous and next pages; nothing if there is only one page. */
export function Pager({ of, page, total, hrefTo }: PagerProps) {
	if (total <= PER_PAGE) return null;
	const first = (page - 1) * PER_PAGE + 1;
	const last = Math.min(page * PER_PAGE, total);
	return (
		<nav className="pager" aria-label={`Pages of ${of}`}>
			{page > 1 && <PageLink href={hrefTo({ page: String(page - 1) })}>Previous</PageLink>}
			{last < total && <PageLink href={hrefTo({ page: String(page + 1) })}>Next</PageLink>}
			<Text c="dimmed" role="status">
				{numberText(first)}–{numberText(last)} of {numberText(total)} {of}
			</Text>
		</nav>
	);
}
