import { CameraView } from 'expo-camera';
import { Button, Modal, StyleSheet, View } from 'react-native';

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
				<View style={styles.bar}>
					<Button title="Cancel" color="white" onPress={close} />
				</View>
			</View>
		</Modal>
	);
}

const styles = StyleSheet.create({
	screen: { flex: 1, justifyContent: 'flex-end', backgroundColor: 'black' },
	bar: { padding: 24, backgroundColor: '#000c' },
});
