/** Bundles the phone page's components with the app: one React, and nothing from the repository's other packages. */
const { join } = require('node:path');
const { getDefaultConfig } = require('expo/metro-config');

const config = getDefaultConfig(__dirname);
config.watchFolders = [join(__dirname, '../server/web'), join(__dirname, '../server/src/contract')];
config.resolver.nodeModulesPaths = [join(__dirname, 'node_modules')];
config.resolver.disableHierarchicalLookup = true;

module.exports = config;
