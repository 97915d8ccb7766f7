import { AccessoryWidgetBackground, Text, VStack, ZStack } from '@expo/ui/swift-ui';
import { font, lineLimit, minimumScaleFactor, widgetURL } from '@expo/ui/swift-ui/modifiers';
import type { WidgetEnvironment } from 'expo-widgets';
import type { ShownMetric } from '../../server/src/contract/shown.ts';
import { formatMetric } from '../../server/web/device/metric-format.ts';
import { SECONDARY, Words } from './parts.tsx';

/** What the app stores for all widgets; each shows the metric that the person named in its settings. */
export interface WidgetProps {
	metrics: readonly ShownMetric[];
}

type Environment = Partial<WidgetEnvironment<{ metric?: string } | undefined>>;

/** The metric with this key or name, in upper or lower case; the first one if none was named. */
function chosen({ metrics }: WidgetProps, name = ''): ShownMetric | undefined {
	const wanted = name.trim().toLowerCase();
	if (wanted === '') return metrics[0];
	return metrics.find(({ key, name }) => [key, name].some((one) => one.toLowerCase() === wanted));
}

const value = (size: number) => [
	font({ size, weight: 'bold', design: 'rounded' }),
	lineLimit(1),
	minimumScaleFactor(0.5),
];

/** Draws a metric on the lock screen or the home screen. */
export default function widget(props: WidgetProps, environment: Environment) {
	const { widgetFamily, configuration } = environment;
	const metric = chosen(props, configuration?.metric);
	if (!metric) {
		const missing = configuration?.metric
			? `No metric ${configuration.metric}`
			: 'Open Beckon once';
		return (
			<Words size={13} lines={3}>
				{missing}
			</Words>
		);
	}
	const { value: number, unit } = formatMetric(metric);
	const whole = unit ? `${number} ${unit}` : number;
	switch (widgetFamily) {
		case 'accessoryInline':
			return <Text>{`${metric.name} ${whole}`}</Text>;
		case 'accessoryCircular':
			return (
				<ZStack>
					<AccessoryWidgetBackground />
					<VStack spacing={0}>
						<Text modifiers={value(18)}>{number}</Text>
						<Words size={10}>{unit ?? metric.name}</Words>
					</VStack>
				</ZStack>
			);
		default:
			return (
				<VStack alignment="leading" spacing={2} modifiers={[widgetURL('beckon://metrics')]}>
					<Words size={13} style={SECONDARY}>
						{metric.name}
					</Words>
					<Text modifiers={value(widgetFamily === 'systemSmall' ? 34 : 24)}>{whole}</Text>
				</VStack>
			);
	}
}
