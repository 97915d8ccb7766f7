import { MantineProvider } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { currentPath } from './hooks/use-route.ts';
import { knownPath, preload } from './routes.ts';
import { theme } from './theme.ts';
import '../phone/styles/base.css';
import './styles/mantine.css';
import './styles/console.css';
import './styles/pages.css';

// While the session is still loading.
preload(knownPath(currentPath()));

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
