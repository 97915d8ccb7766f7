import { describe, expect, it } from '@jest/globals';
import { mediaKind } from '../../web/device/media-kind.ts';
import { safeLink, safeMediaUrl } from '../../web/device/safe-url.ts';

describe('safeLink', () => {
	it.each([
		['https://example.com/a?b=c#d', true],
		['HTTP://example.com', true],
		['shortcuts://run-shortcut?name=Lights', false],
		['myapp://open/7', false],
		['tel:+4930123', false],
	])('lets %s through', (url, isWeb) => {
		expect(safeLink(url)).toEqual({ href: url, isWeb });
	});

	const BLOCKED = [
		'javascript:alert(1)',
		'JavaScript:alert(1)',
		'data:text/html,<script>alert(1)</script>',
		'file:///etc/passwd',
		'blob:https://example.com/1',
		'about:blank',
		'vbscript:msgbox',
		'view-source:https://example.com',
		'intent://scan/#Intent;scheme=zxing;end',
		'content://contacts',
		'beckon://pair',
		'ms-msdt:/id PCWDiagnostic',
		'search-ms:query=x',
		'shell:startup',
		'itms-services://?action=download-manifest',
		'feed:javascript:alert(1)',
	];

	it.each(BLOCKED)('refuses %s', (url) => {
		expect(safeLink(url)).toBeUndefined();
	});

	it.each([
		'java\nscript:alert(1)',
		'java\tscript:alert(1)',
		' javascript:alert(1)',
		'\u0000javascript:alert(1)',
		'/relative',
		'//example.com',
		'example.com',
		'https://',
		'https:///example.com',
		'https://example.com/\u202egpj.exe',
		'',
		`https://example.com/${'a'.repeat(2048)}`,
		undefined,
	])('refuses %j', (url) => {
		expect(safeLink(url)).toBeUndefined();
	});
});

describe('safeMediaUrl', () => {
	it('takes HTTPS without credentials only', () => {
		expect(safeMediaUrl('https://example.com/a.png')).toBe('https://example.com/a.png');
		expect(safeMediaUrl('http://example.com/a.png')).toBeUndefined();
		expect(safeMediaUrl('https://me:secret@example.com/a.png')).toBeUndefined();
		expect(safeMediaUrl('shortcuts://a')).toBeUndefined();
		expect(safeMediaUrl(undefined)).toBeUndefined();
	});
});

describe('mediaKind', () => {
	it.each([
		['https://example.com/a.PNG', 'image'],
		['https://example.com/a.mp3?x=1', 'audio'],
		['https://example.com/clip.mp4#t=3', 'video'],
		['https://example.com/render?id=7', 'image'],
		['https://example.com/archive.mp4/cover', 'image'],
	])('takes %s for %s', (url, kind) => {
		expect(mediaKind(url)).toBe(kind);
	});
});
