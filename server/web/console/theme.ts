import { createTheme, Modal } from '@mantine/core';

export const theme = createTheme({
	primaryColor: 'violet',
	defaultRadius: 'md',
	components: {
		// Locking the scroll behind a dialog would take an inline style element.
		Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }),
	},
});
