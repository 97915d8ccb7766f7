/** Bundles the phone page's components with the app: one React, and nothing from the repository's other packages. */
const { join } = require('node:path');
const { getDefaultConfig } = require('expo/metro-config');

const config = getDefaultConfig(__dirname);
config.watchFolders = [join(__dirname, '../server/web'), join(__dirname, '../server/src/contract')];
config.resolver.nodeModulesPaths = [join(__dirname, 'node_modules')];
config.resolver.disableHierarchicalLookup = true;
// The default cache is shared by all checkouts, and keeps paths of the one that filled it.
config.cacheStores = ({ FileStore }) => [new FileStore({ root: join(__dirname, '.cache/metro') })];
// Expo's own AppRegistry.web.tsx goes before its AppRegistry.ts, which needs react-native-web.
config.resolver.sourceExts = ['tsx', ...config.resolver.sourceExts.filter((ext) => ext !== 'tsx')];

/** The page's modules for browsers, and their replacements. The app keeps what the page stores. */
const REPLACED = {
	'hooks/use-push.ts': 'use-push.ts',
	'components/notification-settings.tsx': 'notification-settings.tsx',
};
const PAGE = join(__dirname, '../server/web/phone/');

config.resolver.resolveRequest = (context, name, platform) => {
	if (name === 'idb-keyval') name = join(__dirname, 'src/page/kept.ts');
	const found = context.resolveRequest(context, name, platform);
	if (found.type !== 'sourceFile' || !found.filePath.startsWith(PAGE)) return found;
	const replacement = REPLACED[found.filePath.slice(PAGE.length)];
	if (!replacement) return found;
	return { ...found, filePath: join(__dirname, 'src/page', replacement) };
};

module.exports = config;
