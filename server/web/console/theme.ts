import { createTheme, Modal } from '@mantine/core';

export const theme = createTheme({
	primaryColor: 'violet',
	defaultRadius: 'md',
	components: {
		Modal: Modal.extend({
			defaultProps: {
				// Locking the scroll behind a dialog would need an inline style element.
				lockScroll: false,
				centered: true,
				// The page has one header already.
				attributes: { header: { role: 'none' } },
			},
		}),
	},
});
