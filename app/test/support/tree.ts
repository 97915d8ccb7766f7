/** Checks of a tree against the sources that draw it: SwiftUI draws nothing, and says nothing, where they fail. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP, type Node, swiftIn } from './extension.ts';

const UI = join(APP, 'node_modules/@expo/ui/ios');
const WIDGETS = join(APP, 'node_modules/expo-widgets/ios');

const swift = [UI, WIDGETS].map(swiftIn).join('\n');

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)];

/** The fields of a class or struct, by the property wrapper that makes them readable from JavaScript. */
function fieldsOf(name: string): string[] {
	const start = swift.search(new RegExp(`(class|struct) ${name}\\b`));
	const body = swift.slice(start).split(/\n}\n/, 1)[0] ?? '';
	return all(body, /@Field[^\n]*?var (\w+)/g).map(([, field]) => field!);
}

const COMMON = [...fieldsOf('UIBaseViewProps'), 'children'];

/** The types of nodes that the extension draws, with their fields. */
const TYPES = new Map(
	all(
		readFileSync(join(WIDGETS, 'Widgets/DynamicView.swift'), 'utf8'),
		/case "([\w.]+)":[^"]*?render\([\w.]+self, (?:ExpoUI\.)?(\w+)\.self/g,
	).map(([, type, props]) => [type!, new Set([...COMMON, ...fieldsOf(props!)])]),
);

const MODIFIERS = new Set(all(swift, /register\("(\w+)"\)/g).map(([, name]) => name!));

/** Where a Live Activity is drawn. */
export const PLACES = new Set(
	all(swift, /(?:sectionName: |nodes\?\[)"(\w+)"/g).map(([, place]) => place!),
);

/** The nodes whose children the extension draws. */
const WITH_CHILDREN = /Stack|Link|fragment|^Button/;

const COLOR = /^#([0-9A-F]{6}|[0-9A-F]{8})$/i;

/** Everything that the extension would drop silently. */
export function faultsOf(node: Node, path = node.type): string[] {
	const fields = TYPES.get(node.type);
	if (!fields) return [`${path}: no view ${node.type}`];
	const faults: string[] = [];
	for (const [name, value] of Object.entries(node.props)) {
		if (value === undefined || value === null) continue;
		if (!fields.has(name)) faults.push(`${path}: no field ${name}`);
		if (name === 'modifiers') faults.push(...faultsOfModifiers(value, path));
	}
	const children = childrenOf(node);
	if (children.length > 0 && !WITH_CHILDREN.test(node.type))
		faults.push(`${path}: its children are not drawn`);
	for (const [index, child] of children.entries()) {
		if (isNode(child)) faults.push(...faultsOf(child, `${path} > ${index} ${child.type}`));
		else faults.push(`${path}: ${JSON.stringify(child)} is not a view`);
	}
	return faults;
}

function faultsOfModifiers(modifiers: unknown, path: string): string[] {
	return (modifiers as Array<{ $type: string }>).flatMap((modifier) => {
		const faults = MODIFIERS.has(modifier.$type) ? [] : [`${path}: no modifier ${modifier.$type}`];
		for (const [, color] of all(JSON.stringify(modifier), /"color":"([^"]*)"/g))
			if (!COLOR.test(color!)) faults.push(`${path}: ${color} is no color`);
		return faults;
	});
}

const isNode = (value: unknown): value is Node =>
	typeof value === 'object' && value !== null && 'type' in value && 'props' in value;

function childrenOf(node: Node): unknown[] {
	const { children } = node.props;
	return [children].flat(3).filter((child) => child !== null && child !== undefined);
}

/** The texts of a tree, from top to bottom. */
export function textsOf(node: Node): string[] {
	const { text } = node.props;
	const inner = childrenOf(node).filter(isNode).flatMap(textsOf);
	return typeof text === 'string' ? [text, ...inner] : inner;
}
