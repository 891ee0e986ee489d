import { HOSTS, readHost } from '../../../../../nodes/shared/service/hosts.ts';

describe('a host', () => {
	it.each([
		['https://dev.kdlapi.com', 'https://dev.kdlapi.com'],
		['https://dev.kdlapi.com/', 'https://dev.kdlapi.com'],
		['  https://dev.kdlapi.com \n', 'https://dev.kdlapi.com'],
		['HTTPS://Dev.KdlApi.com', 'https://dev.kdlapi.com'],
		['https://dev.kdlapi.com:443', 'https://dev.kdlapi.com'],
		['https://test.example:8443/', 'https://test.example:8443'],
		['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
		['http://127.0.0.1:5000', 'http://127.0.0.1:5000'],
		['http://127.255.1.2', 'http://127.255.1.2'],
		['http://localhost:5000/', 'http://localhost:5000'],
		['http://[::1]:5000', 'http://[::1]:5000'],
	])('%j is read as %s', (value, expected) => {
		expect(readHost(HOSTS.baseUrl, value)).toBe(expected);
	});

	describe.each<[string, unknown[], string]>([
		[
			'is empty',
			['', '   ', '\n', undefined, null, 5, true, {}, ['https://a.example']],
			'is empty',
		],
		[
			'is no web address',
			[
				'dev.kdlapi.com',
				'just text',
				'https://',
				'https://exa mple.com',
				'//dev.kdlapi.com',
				'/api',
			],
			'is not a web address',
		],
		[
			'has a user name or password',
			['https://user@dev.kdlapi.com', 'https://:pass@dev.kdlapi.com', 'https://u:p@127.0.0.1:5000'],
			'cannot be used: it must not contain a user name or password',
		],
		[
			'has more than scheme, host and port',
			[
				'https://dev.kdlapi.com/api',
				'https://dev.kdlapi.com//',
				'https://dev.kdlapi.com?a=1',
				'https://dev.kdlapi.com/#top',
			],
			'cannot be used: it must not contain a path, a query or a fragment',
		],
		[
			'is no place on a network',
			['javascript:alert(1)', 'data:text/plain,x', 'mailto:a@b.example', 'blob:https://a.example/'],
			'cannot be used: it must ',
		],
		[
			'is not safe on the way',
			[
				'http://dev.kdlapi.com',
				'http://192.168.1.5',
				'http://10.0.0.1:5000',
				'http://localhost.evil.example',
				'http://a.localhost',
				'http://128.0.0.1',
				'http://127.0.0.1.evil.example',
				'http://[::2]',
				'http://0.0.0.0',
				'ftp://dev.kdlapi.com',
				'ws://127.0.0.1',
				'file:///',
			],
			'cannot be used: it must begin with https://',
		],
	])('that %s', (_name, values, reason) => {
		it.each(values)('(%j) is refused', (value) => {
			expect(() => readHost(HOSTS.baseUrl, value)).toThrow(
				`'Base URL' in the credential ${reason}`,
			);
		});
	});

	it.each(Object.entries(HOSTS))('%s is named in the message, with an example', (_name, host) => {
		for (const value of ['', 'x', 'https://u@x', 'https://x/y', 'http://x']) {
			const read = () => readHost(host, value);
			expect(read).toThrow(`'${host.displayName}'`);
			expect(read).toThrow(`Use an address such as ${host.origin}.`);
		}
	});

	it('is not shown in a refusal, because it could contain a password', () => {
		expect(() => readHost(HOSTS.baseUrl, 'https://user:pass@a.example')).not.toThrow(/pass@|user:/);
	});
});
