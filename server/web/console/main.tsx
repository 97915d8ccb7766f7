import { MantineProvider } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { theme } from './theme.ts';
import '../phone/styles/base.css';
import '../phone/styles/wallpaper.css';
import '../phone/styles/lock-screen.css';
import '../phone/styles/widgets.css';
import '../phone/styles/card.css';
import '../phone/styles/notification.css';
import '../phone/styles/activity.css';
import '../phone/styles/metric-grid.css';
import '../phone/styles/actions.css';
import '@mantine/core/styles.css';
import './styles/console.css';
import './styles/pages.css';
import './styles/preview.css';

const root = document.getElementById('root');
if (root !== null) {
	createRoot(root).render(
		// The policy allows no inline style element: the variables are in the style sheets.
		<MantineProvider
			theme={theme}
			defaultColorScheme="auto"
			withCssVariables={false}
			withGlobalClasses={false}
		>
			<App />
		</MantineProvider>,
	);
}
