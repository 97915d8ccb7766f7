/** Two soft notes, synthesized in the browser: nothing to load, and nothing a sender could choose. */
const NOTES = [
	{ hertz: 880, at: 0 },
	{ hertz: 1318.5, at: 0.12 },
];
const SECONDS = 0.45;
const VOLUME = 0.12;

let context: AudioContext | undefined;

/** Browsers allow a page sound only after a first tap; until then this does nothing. */
export function playSound(): void {
	if (!navigator.userActivation?.hasBeenActive || !('AudioContext' in window)) return;
	context ??= new AudioContext();
	const start = context.currentTime;
	for (const { hertz, at } of NOTES) {
		const note = context.createOscillator();
		const volume = context.createGain();
		note.type = 'sine';
		note.frequency.value = hertz;
		volume.gain.setValueAtTime(0, start + at);
		volume.gain.linearRampToValueAtTime(VOLUME, start + at + 0.02);
		volume.gain.exponentialRampToValueAtTime(0.001, start + at + SECONDS);
		note.connect(volume).connect(context.destination);
		note.start(start + at);
		note.stop(start + at + SECONDS);
	}
	void context.resume();
}
