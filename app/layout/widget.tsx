import { AccessoryWidgetBackground, Text, VStack, ZStack } from '@expo/ui/swift-ui';
import { font, foregroundStyle, lineLimit, widgetURL } from '@expo/ui/swift-ui/modifiers';
import type { WidgetEnvironment } from 'expo-widgets';
import type { ShownMetric } from '../../server/src/contract/shown.ts';
import { formatMetric } from '../../server/web/device/metric-format.ts';
import { figure, Note, SECONDARY, Words } from './parts.tsx';

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

/** A widget is not refreshed in the background, so it shows the age of its number, which iOS keeps counting. */
const AGE = [font({ size: 12 }), lineLimit(1), foregroundStyle(SECONDARY)];

/** Draws a metric on the lock screen or the home screen. */
export default function widget(props: WidgetProps, environment: Environment) {
	const { widgetFamily, configuration } = environment;
	const name = configuration?.metric;
	const metric = chosen(props, name);
	if (!metric)
		return <Words text={name ? `No metric ${name}` : 'Open Beckon once'} size={13} lines={3} />;
	const { value, unit } = formatMetric(metric);
	const whole = unit ? `${value} ${unit}` : value;
	switch (widgetFamily) {
		case 'accessoryInline':
			return <Text>{`${metric.name} ${whole}`}</Text>;
		case 'accessoryCircular':
			return (
				<ZStack>
					<AccessoryWidgetBackground />
					<VStack spacing={0}>
						<Text modifiers={figure(18)}>{value}</Text>
						<Words text={unit ?? metric.name} size={10} />
					</VStack>
				</ZStack>
			);
		default:
			return (
				<VStack alignment="leading" spacing={2} modifiers={[widgetURL('beckon://metrics')]}>
					<Note text={metric.name} size={13} />
					<Text modifiers={figure(widgetFamily === 'systemSmall' ? 34 : 24)}>{whole}</Text>
					{metric.measured_at ? (
						<Text date={new Date(metric.measured_at)} dateStyle="relative" modifiers={AGE} />
					) : null}
				</VStack>
			);
	}
}
