/** What Xcode gets: the project that `expo prebuild` writes, with its entitlements and Info.plist. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { FAMILIES } from '../app.config.ts';
import { APP, expo, swiftIn } from './support/extension.ts';

const read = (pattern: string) => {
	const found = globSync(pattern, { cwd: join(APP, 'ios') });
	assert.equal(found.length, 1, `${pattern}: ${found.join()}`);
	return readFileSync(join(APP, 'ios', found[0]!), 'utf8');
};

before(() => {
	const settings = { BECKON_APP_ID: 'com.example.tested', EXPO_NO_GIT_STATUS: '1' };
	expo(['prebuild', '--platform', 'ios', '--no-install', '--clean'], settings);
});

test('the app may push, start Live Activities, and update them often', () => {
	const info = read('Beckon/Info.plist');
	for (const key of ['NSSupportsLiveActivities', 'NSSupportsLiveActivitiesFrequentUpdates'])
		assert.match(info, new RegExp(`<key>${key}</key>\\s*<true/>`));
	assert.match(info, /<string>beckon<\/string>/);
	assert.match(info, /NSCameraUsageDescription/);
	const entitlements = read('Beckon/*.entitlements');
	assert.match(entitlements, /aps-environment/);
	assert.match(entitlements, /usernotifications\.time-sensitive/);
	assert.doesNotMatch(entitlements, /critical-alerts/);
	assert.match(entitlements, /group\.com\.example\.tested/);
});

test('the extension shares the app’s group, and has the widget with its metric', () => {
	const swift = swiftIn(join(APP, 'ios/ExpoWidgetsTarget'));
	assert.match(swift, /WidgetLiveActivity\(\)/);
	for (const family of FAMILIES) assert.match(swift, new RegExp(family));
	assert.match(swift, /Name or key/);
	assert.match(read('ExpoWidgetsTarget/*.entitlements'), /group\.com\.example\.tested/);
});

test('the id is that of the environment, and Expo may choose the team', () => {
	const project = read('Beckon.xcodeproj/project.pbxproj');
	assert.match(project, /PRODUCT_BUNDLE_IDENTIFIER = "?com\.example\.tested/);
	assert.doesNotMatch(project, /DEVELOPMENT_TEAM/);
	// The scheme that the workflow for the simulator builds.
	assert.match(read('Beckon.xcodeproj/xcshareddata/xcschemes/Beckon.xcscheme'), /Beckon\.app/);
});
