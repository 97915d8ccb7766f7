/** Warnings of one kind are logged at most this often. */
const WARN_EVERY_MS = 60_000;

/** Reports at most once a minute how often something happened since the last report. */
export function sometimes(report: (times: number) => void): () => void {
	let times = 0;
	let reportedAt = -Infinity;
	return () => {
		times += 1;
		if (performance.now() - reportedAt < WARN_EVERY_MS) return;
		report(times);
		reportedAt = performance.now();
		times = 0;
	};
}
