import { createTheme, Modal, Popover } from '@mantine/core';

/** Otherwise, the box that scrolls would not be the list of options, and the keyboard could not reach it. */
const scrolled = { defaultProps: { withScrollArea: false } };

export const theme = createTheme({
	primaryColor: 'violet',
	defaultRadius: 'md',
	components: {
		Modal: Modal.extend({
			defaultProps: {
				// Locking the scroll behind a dialog would need an inline style element.
				lockScroll: false,
				centered: true,
				closeButtonProps: { 'aria-label': 'Close' },
				// The page has one header already.
				attributes: { header: { role: 'none' } },
			},
		}),
		// Lists of options belong to a landmark, like everything on the page.
		Autocomplete: scrolled,
		MultiSelect: scrolled,
		Select: scrolled,
		TagsInput: scrolled,
		Popover: Popover.extend({ defaultProps: { portalProps: { target: '#main' } } }),
	},
});
