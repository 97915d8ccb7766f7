/** What came of a scan: the text of a QR code, or why there was none; neither if the person closed it. */
export interface Scanned {
	text?: string;
	problem?: string;
}

const REFUSED =
	'Beckon may not use the camera. Allow it in iOS’s settings, under Apps, Beckon, or type the address and the code.';

interface Parts {
	/** Asks for the camera, if the person has not answered yet. @returns whether it may be used */
	permit: () => Promise<boolean>;
	/** Opens or closes the camera's screen. */
	show: (isOpen: boolean) => void;
}

/** Scans QR codes, one at a time: every scan ends, also one that is closed or that another one replaces. */
export class Scanning {
	readonly #parts: Parts;
	#settle: ((text: string | undefined) => void) | undefined;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	async scan(): Promise<Scanned> {
		this.end();
		if (!(await this.#parts.permit())) return { problem: REFUSED };
		const text = await new Promise<string | undefined>((settle) => {
			this.end();
			this.#settle = settle;
			this.#parts.show(true);
		});
		return text === undefined ? {} : { text };
	}

	/** Called with each code that the camera sees, and without one when its screen is closed. */
	end(text?: string): void {
		if (!this.#settle) return;
		this.#settle(text);
		this.#settle = undefined;
		this.#parts.show(false);
	}
}
