import { MantineProvider } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { preloadInside } from './load-inside.ts';
import { theme } from './theme.ts';
import { wasSignedIn } from './visit.ts';
import '../phone/styles/base.css';
import './styles/mantine.css';
import './styles/console.css';

// Starts while the session is still loading.
if (wasSignedIn()) preloadInside();

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
