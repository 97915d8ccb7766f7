import { useState } from 'react';
import {
	ScrollView,
	StyleSheet,
	Text,
	TextInput,
	TouchableOpacity,
	useColorScheme,
} from 'react-native';
import { scanCode } from './device.ts';
import { readCode, readLink, readOrigin } from './links.ts';

interface PairingProps {
	/** From a link, if there was one. */
	origin: string;
	code: string;
	/** The reason for showing this screen again. */
	notice: string;
	/** @throws Error whose message says why it failed */
	onPair: (origin: string, code: string) => Promise<void>;
}

/** Pairs by the QR code of the console, a link, or address and code. */
export function Pairing({ notice, onPair, ...linked }: PairingProps) {
	const [address, setAddress] = useState(linked.origin);
	const [typed, setTyped] = useState(linked.code);
	const [isPairing, setIsPairing] = useState(false);
	const [error, setError] = useState('');
	const ink = useColorScheme() === 'dark' ? '#fff' : '#10131a';
	const text = [styles.text, { color: ink }];
	const field = [styles.field, { color: ink, borderColor: ink }];

	const pair = async (origin = readOrigin(address), code = readCode(typed)) => {
		if (origin === undefined) return setError('Enter the address of your Beckon server.');
		if (code === undefined) return setError('Enter the code: 8 letters and digits.');
		setIsPairing(true);
		setError('');
		await onPair(origin, code).catch((failure: Error) => setError(failure.message));
		setIsPairing(false);
	};
	const scan = async () => {
		const scanned = await scanCode();
		const link = scanned === undefined ? undefined : readLink(scanned);
		if (link?.kind === 'pair') await pair(link.origin, link.code);
		else
			setError(
				'That is no pairing code of Beckon. In the console, open Phones, then Pair a phone.',
			);
	};

	return (
		<ScrollView contentContainerStyle={styles.screen} keyboardShouldPersistTaps="handled">
			<Text style={[styles.title, { color: ink }]} accessibilityRole="header">
				Pair this iPhone
			</Text>
			<Text style={text}>
				{notice || 'Scan the QR code in your server’s console, or type what it shows.'}
			</Text>
			<Press title="Scan QR code" onPress={() => void scan()} isDisabled={isPairing} />
			<Text style={text}>Server’s address</Text>
			<TextInput
				style={field}
				accessibilityLabel="Server’s address"
				value={address}
				onChangeText={setAddress}
				placeholder="beckon.example.com"
				autoCapitalize="none"
				autoCorrect={false}
				keyboardType="url"
			/>
			<Text style={text}>Pairing code</Text>
			<TextInput
				style={field}
				accessibilityLabel="Pairing code"
				value={typed}
				onChangeText={setTyped}
				autoCapitalize="characters"
				autoCorrect={false}
			/>
			<Press
				title={isPairing ? 'Pairing…' : 'Pair'}
				onPress={() => void pair()}
				isDisabled={isPairing}
			/>
			<Text style={[styles.text, styles.error]} accessibilityLiveRegion="polite">
				{error}
			</Text>
		</ScrollView>
	);
}

interface PressProps {
	title: string;
	onPress: () => void;
	isDisabled: boolean;
}

function Press({ title, onPress, isDisabled }: PressProps) {
	return (
		<TouchableOpacity
			style={styles.button}
			accessibilityRole="button"
			onPress={onPress}
			disabled={isDisabled}
		>
			<Text style={styles.buttonText}>{title}</Text>
		</TouchableOpacity>
	);
}

const styles = StyleSheet.create({
	screen: { padding: 24, paddingTop: 96, gap: 12 },
	title: { fontSize: 28, fontWeight: '700' },
	text: { fontSize: 17 },
	error: { color: '#d70015' },
	field: { fontSize: 17, padding: 12, borderWidth: StyleSheet.hairlineWidth, borderRadius: 12 },
	button: { padding: 14, borderRadius: 14, backgroundColor: '#0066d6', alignItems: 'center' },
	buttonText: { fontSize: 17, fontWeight: '600', color: '#fff' },
});
