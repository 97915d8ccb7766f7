import { useCallback, useRef } from 'react';
import { usePhone } from '../hooks/use-phone.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { DevicePanel } from './device-panel.tsx';
import { LockScreen } from './lock-screen.tsx';
import { PhoneFrame } from './phone-frame.tsx';

interface PairedPhoneProps {
	token: string;
	/** The server no longer knows this phone. */
	onDisconnected: () => void;
	/** The person disconnected it here. */
	onLeft: () => void;
}

/** The lock screen and, beside it or in a sheet, whose phone it is. */
export function PairedPhone({ token, onDisconnected, onLeft }: PairedPhoneProps) {
	const phone = usePhone(token, onDisconnected);
	const sheet = useRef<HTMLDialogElement>(null);
	const { disconnect } = phone;
	const leave = useCallback(async () => {
		await disconnect();
		onLeft();
	}, [disconnect, onLeft]);
	const panel = (
		<DevicePanel device={phone.state?.device} connection={phone.connection} onDisconnect={leave} />
	);

	return (
		<>
			<PhoneFrame aside={panel}>
				<LockScreen
					phone={phone}
					onDisconnected={onDisconnected}
					onInfo={() => sheet.current?.showModal()}
				/>
			</PhoneFrame>
			<dialog
				className="sheet"
				ref={sheet}
				aria-label="About this phone"
				onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
			>
				<div className="sheet-content">
					{panel}
					<button
						type="button"
						className="sheet-close"
						aria-label="Close"
						onClick={() => sheet.current?.close()}
					>
						<Glyph name="cross" />
					</button>
				</div>
			</dialog>
		</>
	);
}
