import { Group } from '@mantine/core';
import { COLORS } from '../../../src/contract/values.ts';
import { tint } from '../../phone/colors.ts';
import { Symbol } from '../../phone/symbols/symbol.tsx';
import { toOption } from './words.ts';

/** SF Symbols that an iPhone and the phone's page both draw; any other name can be typed. */
export const ICONS =
	'bell bolt flame drop leaf cloud sun.max moon wind snowflake thermometer.medium house lightbulb lock key car airplane tram bicycle figure.run heart star flag trophy gift sparkles cart bag shippingbox creditcard tag server.rack cpu internaldrive terminal arrow.triangle.branch arrow.clockwise network globe wifi chart.bar gauge timer hourglass clock calendar play pause stop gearshape person envelope phone doc.text folder camera checkmark exclamationmark.triangle xmark'.split(
		' ',
	);

/** The color or the icon itself, beside its name; nothing for other values. */
export function Sample({ value }: { value: string }) {
	if ((COLORS as readonly string[]).includes(value))
		return <span className={`color-sample ${tint(value)}`} aria-hidden="true" />;
	return ICONS.includes(value) ? <Symbol name={value} /> : null;
}

export function renderOption({ option: { value } }: { option: { value: string } }) {
	return (
		<Group gap="xs" wrap="nowrap">
			<Sample value={value} />
			{ICONS.includes(value) ? value : toOption(value)}
		</Group>
	);
}
