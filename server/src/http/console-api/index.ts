import cookie from '@fastify/cookie';
import type { HttpParts } from '../parts.ts';
import { plugin, type TypedApp } from '../typed-app.ts';
import { registerAudit } from './audit.ts';
import { authenticateVisitor, refuseOtherSites } from './authentication.ts';
import { registerChannels } from './channels.ts';
import { registerDevices } from './devices.ts';
import { registerConsoleEvents } from './events.ts';
import { registerHistory } from './history.ts';
import { registerKeys } from './keys.ts';
import { registerLive } from './live.ts';
import { registerMembers } from './members.ts';
import { registerConsoleMetrics } from './metrics.ts';
import { registerPeople } from './people.ts';
import { registerPlayground } from './playground.ts';
import { registerProfile } from './profile.ts';
import { registerEntrance, registerSession } from './session.ts';
import { registerUsage } from './usage.ts';

/** The API of the console's page. It is not a public interface: page and server are built together. */
export async function registerConsoleApi(app: TypedApp, parts: HttpParts): Promise<void> {
	await app.register(cookie);
	app.addHook('onRequest', (_request, reply, done) => {
		reply.header('cache-control', 'no-store');
		done();
	});
	refuseOtherSites(app);
	registerEntrance(app, parts);
	await app.register(
		plugin('signed-in', (inside) => {
			authenticateVisitor(inside, parts.context);
			registerSession(inside, parts);
			registerProfile(inside, parts);
			registerConsoleEvents(inside, parts);
			registerDevices(inside, parts);
			registerPeople(inside, parts);
			registerChannels(inside, parts);
			registerKeys(inside, parts);
			registerConsoleMetrics(inside, parts);
			registerLive(inside, parts);
			registerHistory(inside, parts);
			registerMembers(inside, parts);
			registerAudit(inside, parts);
			registerUsage(inside, parts);
			registerPlayground(inside, parts);
		}),
	);
}
