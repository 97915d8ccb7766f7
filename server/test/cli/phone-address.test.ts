import { describe, expect, it } from '@jest/globals';
import { phoneAddressAdvice } from '../../src/contract/phone-address.ts';

describe('the address of a pairing link', () => {
	it.each([
		'http://localhost:8787',
		'https://localhost',
		'http://beckon.localhost',
		'http://127.0.0.1:8787',
		'http://127.1.2.3',
		'http://0.0.0.0:8787',
		'http://[::1]:8787',
	])('%s works only on this computer', (address) => {
		expect(phoneAddressAdvice(address)).toMatch(/works only on this computer.*BECKON_PUBLIC_URL/);
	});

	it.each(['http://192.168.1.20:8787', 'http://beckon.example.com'])(
		'%s is reached by phones, without notifications',
		(address) => {
			expect(phoneAddressAdvice(address)).toMatch(/is not https.*BECKON_PUBLIC_URL/);
		},
	);

	it.each([
		'https://beckon.example.com',
		'https://localhost.example.com',
		'https://127.example.com',
	])('%s needs nothing more', (address) => {
		expect(phoneAddressAdvice(address)).toBeUndefined();
	});
});
