import { useCallback, useEffect, useState } from 'react';
import { DEFAULT_SETTINGS, loadSettings, saveSettings, type Settings } from '../storage.ts';

export type ChangeSettings = (changes: Partial<Settings>) => void;

/** This phone's settings. Undefined for a moment, until they are read. */
export function useSettings(): [Settings | undefined, ChangeSettings] {
	const [settings, setSettings] = useState<Settings>();
	useEffect(() => {
		let isCurrent = true;
		void loadSettings().then((loaded) => isCurrent && setSettings(loaded));
		return () => {
			isCurrent = false;
		};
	}, []);
	const change = useCallback((changes: Partial<Settings>) => {
		setSettings((current) => ({ ...DEFAULT_SETTINGS, ...current, ...changes }));
		void saveSettings(changes);
	}, []);
	return [settings, change];
}
