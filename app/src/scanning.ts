/** The result of a scan: the text of a QR code, or why there is none; neither if the person closed it. */
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

/** Scans QR codes, one at a time. Every scan ends, even if it is closed or replaced by another. */
export function createScanning({ permit, show }: Parts) {
	let settle: ((text: string | undefined) => void) | undefined;
	/** Called with each code that the camera sees, and without one when its screen is closed. */
	const end = (text?: string): void => {
		if (!settle) return;
		settle(text);
		settle = undefined;
		show(false);
	};
	return {
		end,
		async scan(): Promise<Scanned> {
			end();
			if (!(await permit())) return { problem: REFUSED };
			end();
			show(true);
			const text = await new Promise<string | undefined>((resolve) => (settle = resolve));
			return text === undefined ? {} : { text };
		},
	};
}
