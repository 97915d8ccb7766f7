interface SwitchProps {
	label: string;
	isOn: boolean;
	isDisabled?: boolean;
	onChange: (isOn: boolean) => void;
}

/** A line with a switch at its end, as in a phone's settings. */
export function Switch({ label, isOn, isDisabled = false, onChange }: SwitchProps) {
	return (
		<button
			type="button"
			role="switch"
			className="switch"
			aria-checked={isOn}
			disabled={isDisabled}
			onClick={() => onChange(!isOn)}
		>
			<span className="switch-label">{label}</span>
			<span className="switch-track" aria-hidden="true" />
		</button>
	);
}
