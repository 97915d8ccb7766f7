import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { registerWorker } from './worker-registration.ts';
import './styles/base.css';
import './styles/wallpaper.css';
import './styles/phone-frame.css';
import './styles/lock-screen.css';
import './styles/widgets.css';
import './styles/card.css';
import './styles/notification.css';
import './styles/activity.css';
import './styles/metric-grid.css';
import './styles/actions.css';
import './styles/pairing.css';
import './styles/panel.css';
import './styles/settings.css';
import './styles/quiet.css';
import './styles/history.css';

if (import.meta.env.PROD) registerWorker();

const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
