import { DeviceError } from './device-client.ts';

/** Reports that the server must eventually get, as they are kept on the phone. */
interface ReportQueue<Report> {
	load: () => Promise<Report[] | undefined>;
	/** Reads, changes and writes in one transaction. */
	change: (changed: (reports: Report[] | undefined) => Report[]) => Promise<void>;
	/** Rejects with a DeviceError. */
	send: (report: Report) => Promise<void>;
	/** The server refused it; it is not sent again. */
	onRefused: (report: Report, error: DeviceError) => void | Promise<void>;
}

/** A rate limit, or a response that is not the server's, says nothing about the report. */
const isRefusal = (error: unknown): error is DeviceError =>
	error instanceof DeviceError && error.status >= 400 && error.status < 500 && error.status !== 429;

/**
 * Sends the kept reports, oldest first, one call at a time: two would report the same tap twice.
 * @returns false if the server could not be reached: try again later
 */
export async function sendEach<Report>(queue: ReportQueue<Report>): Promise<boolean> {
	for (const report of (await queue.load()) ?? []) {
		try {
			await queue.send(report);
		} catch (error) {
			if (!isRefusal(error)) return false;
			await queue.onRefused(report, error);
		}
		const sent = JSON.stringify(report);
		await queue.change((reports = []) => reports.filter((kept) => JSON.stringify(kept) !== sent));
	}
	return true;
}
