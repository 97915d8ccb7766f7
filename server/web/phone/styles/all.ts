/** The page's styles, also for the app that shows its components; the order decides. */
import './base.css';
import './wallpaper.css';
import './phone-frame.css';
import './lock-screen.css';
import './widgets.css';
import './card.css';
import './notification.css';
import './activity.css';
import './metric-grid.css';
import './actions.css';
import './pairing.css';
import './panel.css';
import './settings.css';
import './quiet.css';
import './history.css';
