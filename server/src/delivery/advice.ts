/** What to do about a failure, by a part of its reason. */
const ADVICE: Record<string, string> = {
	InvalidProviderToken:
		'Compare BECKON_APNS_KEY_ID and BECKON_APNS_TEAM_ID with the key in BECKON_APNS_KEY_FILE.',
	ExpiredProviderToken: 'Synchronize this machine’s clock (NTP).',
	TopicDisallowed: 'The key is not allowed to push to the app of BECKON_APNS_BUNDLE_ID.',
	BadTopic: 'Compare BECKON_APNS_BUNDLE_ID with the bundle id of the app.',
	DeviceTokenNotForTopic: 'Compare BECKON_APNS_BUNDLE_ID with the bundle id of the app.',
	BadEnvironmentKeyIdInToken: "The key is for the other of Apple's two services.",
	UnrelatedKeyIdInToken: 'The key belongs to another team.',
	BadDeviceToken:
		"The token belongs to Apple's other service: the app must register as sandbox if it comes from Xcode, and as production if it comes from TestFlight or the App Store. Then open it once.",
	'APNs answered 410': 'The app was deleted from the phone. Install it and pair the phone again.',
	'push service answered 404': 'The browser’s subscription has ended. Open the phone’s page.',
	'push service answered 410': 'The browser’s subscription has ended. Open the phone’s page.',
	'push service answered 401': 'Turn notifications off and on again on the phone’s page.',
	'push service answered 403': 'Turn notifications off and on again on the phone’s page.',
	'could not be reached': 'Check that this server can call addresses on the internet.',
	'Live Activities were started on this phone':
		'iOS starts only about ten in a short time. Update a running one by its key instead of starting another.',
	'was disconnected': 'Pair the phone again.',
};

/** What to do about a failed delivery; undefined if nothing can be done, or nothing is known to help. */
export function adviceFor(reason: string): string | undefined {
	return Object.entries(ADVICE).find(([part]) => reason.includes(part))?.[1];
}
