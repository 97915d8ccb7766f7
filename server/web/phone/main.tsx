import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { registerWorker } from './worker-registration.ts';
import './styles/all.ts';

if (import.meta.env.PROD) registerWorker();

const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
