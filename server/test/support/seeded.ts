/** What seed.ts makes. Separate, for the node package's tests: they are compiled without the server. */
export interface Seed {
	key: string;
	device_id: string;
	device_token: string;
	pair_code: string;
	metrics: string[];
}
