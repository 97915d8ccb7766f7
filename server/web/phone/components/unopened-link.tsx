import { useUnopenedLink } from '../hooks/use-unopened-link.ts';

/** Shown when apparently no app opened the tapped link. */
export function UnopenedLink() {
	const scheme = useUnopenedLink();
	return (
		<div role="status">
			{scheme !== undefined && (
				<div className="bar-words">
					<span>Nothing opened? You may not have an app for “{scheme}:” links.</span>
				</div>
			)}
		</div>
	);
}
