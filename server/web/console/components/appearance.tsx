import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import type { ComponentType } from 'react';

const CHOICES: Array<{
	value: MantineColorScheme;
	name: string;
	icon: ComponentType<{ size?: number | string; 'aria-hidden'?: boolean }>;
}> = [
	{ value: 'auto', name: 'Same as system', icon: IconDeviceDesktop },
	{ value: 'light', name: 'Light', icon: IconSun },
	{ value: 'dark', name: 'Dark', icon: IconMoon },
];

/** Light, dark or the system's setting, remembered by this browser. */
export function Appearance() {
	// Suppressing transitions during the change would need an inline style element.
	const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
	return (
		<SegmentedControl
			className="appearance"
			size="xs"
			fullWidth
			aria-label="Appearance"
			value={colorScheme}
			onChange={(value) => setColorScheme(value)}
			data={CHOICES.map(({ value, name, icon: Icon }) => ({
				value,
				label: (
					<span className="appearance-choice" title={name}>
						<Icon size={16} aria-hidden />
						<span className="visually-hidden">{name}</span>
					</span>
				),
			}))}
		/>
	);
}
