import { CameraView } from 'expo-camera';
import { Modal, Pressable, StyleSheet, Text, View } from 'react-native';

/** The camera over the whole screen. @param onEnd gets the codes that it sees, or nothing when it is closed */
export function Scanner({ isOpen, onEnd }: { isOpen: boolean; onEnd: (text?: string) => void }) {
	const close = () => onEnd();
	return (
		<Modal visible={isOpen} animationType="slide" onRequestClose={close}>
			<View style={styles.screen}>
				<CameraView
					style={StyleSheet.absoluteFill}
					barcodeScannerSettings={{ barcodeTypes: ['qr'] }}
					onBarcodeScanned={({ data }) => onEnd(data)}
				/>
				<Pressable accessibilityRole="button" onPress={close} style={styles.button}>
					<Text style={styles.label}>Cancel</Text>
				</Pressable>
			</View>
		</Modal>
	);
}

const styles = StyleSheet.create({
	screen: { flex: 1, justifyContent: 'flex-end', backgroundColor: 'black' },
	button: {
		alignSelf: 'center',
		margin: 48,
		padding: 16,
		borderRadius: 12,
		backgroundColor: '#000c',
	},
	label: { color: 'white', fontSize: 17 },
});
