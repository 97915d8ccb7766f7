import type { ExpoConfig } from 'expo/config';

/** Your own, in lower case: otherwise Apple finds no channels for it. */
const BUNDLE_ID = process.env.BECKON_APP_ID ?? 'com.example.beckon';

/** Apple grants it on request only; a build with it fails without. */
const HAS_CRITICAL_ALERTS = process.env.BECKON_CRITICAL_ALERTS === 'true';

/** The widget families that are offered. */
export const FAMILIES = [
	'accessoryCircular',
	'accessoryRectangular',
	'accessoryInline',
	'systemSmall',
];

const metric = {
	title: 'Metric',
	description: 'Name or key of the metric',
	parameters: {
		metric: { title: 'Name or key', type: 'string', default: '' },
	},
};

const config: ExpoConfig = {
	name: 'Beckon',
	slug: 'beckon',
	version: '0.1.0',
	scheme: 'beckon',
	platforms: ['ios'],
	orientation: 'portrait',
	userInterfaceStyle: 'automatic',
	icon: '../server/web/phone/public/icons/icon-512.png',
	ios: {
		// No appleTeamId: Expo registers ids with Apple only if it chooses the team by itself (expo/expo#50189).
		bundleIdentifier: BUNDLE_ID,
		supportsTablet: false,
		entitlements: {
			'com.apple.developer.usernotifications.time-sensitive': true,
			...(HAS_CRITICAL_ALERTS && {
				'com.apple.developer.usernotifications.critical-alerts': true,
			}),
		},
		infoPlist: {
			NSSupportsLiveActivities: true,
			ITSAppUsesNonExemptEncryption: false,
			// A server at home may have no certificate: iOS allows plain http to local names and addresses only.
			NSAppTransportSecurity: { NSAllowsLocalNetworking: true },
			NSLocalNetworkUsageDescription: 'To reach your Beckon server if it is in your own network.',
		},
	},
	// The paths in tsconfig.json are for type checking only.
	experiments: { tsconfigPaths: false },
	plugins: [
		'expo-secure-store',
		'expo-notifications',
		['expo-camera', { cameraPermission: 'To scan the QR code of your Beckon server.' }],
		[
			'expo-widgets',
			{
				enablePushNotifications: true,
				frequentUpdates: true,
				widgets: [
					{
						name: 'metric',
						displayName: 'Metric',
						description: 'A number from your workflows.',
						ios: {
							supportedFamilies: FAMILIES,
							configuration: metric,
						},
					},
				],
			},
		],
	],
};

export default config;
