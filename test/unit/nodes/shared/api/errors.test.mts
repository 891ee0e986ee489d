import fc from 'fast-check';
import { type JsonObject, NodeApiError, UserError } from 'n8n-workflow';

import {
	networkError,
	type FailureKind,
	transportFailure,
} from '../../../../../nodes/shared/api/errors.ts';
import { cleanServiceText, excerpt } from '../../../../../nodes/shared/api/cleanText.ts';
import { CREATE_ORDER } from '../../../../../nodes/shared/service/endpoints/purchase.ts';
import { deliveryStateOf, nextAttempt } from '../../../../../nodes/shared/api/call.ts';
import { node } from '../../../support/node.mts';
import { anyText, SOME_RUNS } from '../../../support/properties.mts';

/** As Node.js and axios throw it. */
function systemError(code: string, message = `something with ${code}`): Error {
	return Object.assign(new Error(message), { code });
}

/** As n8n's helper for requests with a credential rethrows it. */
function wrapped(error: Error): NodeApiError {
	const response: JsonObject = Object.assign(error);
	return new NodeApiError(node, response);
}

/** What a code says; the request may have arrived unless that is impossible. */
const KINDS: ReadonlyArray<[code: string, kind: FailureKind, mayHaveArrived: boolean]> = [
	['ECONNREFUSED', 'refused', false],
	['ENOTFOUND', 'unknownHost', false],
	['EAI_AGAIN', 'unknownHost', false],
	['ECONNABORTED', 'timeout', true],
	['ETIMEDOUT', 'timeout', true],
	['ESOCKETTIMEDOUT', 'timeout', true],
	['ECONNRESET', 'broken', true],
	['EPIPE', 'broken', true],
	['ERR_BAD_RESPONSE', 'broken', true],
	['ERR_STREAM_PREMATURE_CLOSE', 'broken', true],
	['HPE_INVALID_CONSTANT', 'broken', true],
	['HPE_HEADER_OVERFLOW', 'broken', true],
	['EPROTO', 'tls', true],
	['CERT_HAS_EXPIRED', 'tls', false],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', false],
	['SELF_SIGNED_CERT_IN_CHAIN', 'tls', false],
	['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls', false],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', false],
	['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', true],
];

describe('a proxy that closes the connection before it is connected', () => {
	const closed = new Error('Proxy connection ended before receiving CONNECT response');

	it.each([
		['as the agent throws it', closed],
		['as axios throws it', Object.assign(new Error(closed.message), { cause: closed })],
		['as n8n rethrows it', wrapped(closed)],
	])('proves that nothing was sent, %s', (_how, error) => {
		expect(transportFailure(error)).toMatchObject({
			kind: 'unreachable',
			detail: '',
			mayHaveArrived: false,
		});
	});

	it('after which a purchase may be sent again', () => {
		const failure = networkError(wrapped(closed), 'https://dev.kdlapi.com', 1000, []);
		expect(deliveryStateOf(failure)).toBe('notSent');
		const counts = { retries: new Map(), tooFastForMs: 0 };
		const next = nextAttempt(failure, CREATE_ORDER, counts, 30_000);
		expect(next).toMatchObject({ action: 'reconnect', pauseMs: 1000 });
	});
});

describe.each(['EHOSTUNREACH', 'ENETUNREACH', 'EACCES', 'ETIMEDOUT', 'ECONNRESET', 'ENEWCODE'])(
	'%s while it connects',
	(code) => {
		const failed = (syscall: string) => Object.assign(systemError(code), { syscall });
		const never = { kind: 'unreachable', detail: code, mayHaveArrived: false };

		it('proves that nothing was sent, as Node.js throws it and as n8n rethrows it', () => {
			expect(transportFailure(failed('connect'))).toMatchObject(never);
			expect(transportFailure(wrapped(failed('connect')))).toMatchObject(never);
			const byAxios = Object.assign(systemError(code), { cause: failed('connect') });
			expect(transportFailure(byAxios)).toMatchObject(never);
		});

		it('proves it where all of several attempts at once failed, and not where one was sent', () => {
			const attempts = (...syscalls: string[]) =>
				Object.assign(new AggregateError(syscalls.map(failed)), { code });
			expect(transportFailure(attempts('connect', 'connect'))).toMatchObject(never);
			expect(transportFailure(attempts('connect', 'read')).mayHaveArrived).toBe(true);
			expect(transportFailure(attempts()).mayHaveArrived).toBe(true);
		});

		it('proves nothing while something is read or written', () => {
			expect(transportFailure(failed('read')).mayHaveArrived).toBe(true);
			expect(transportFailure(failed('write')).mayHaveArrived).toBe(true);
		});
	},
);

it.each(KINDS)('%s is %s, wherever it stands', (code, kind, mayHaveArrived) => {
	const cause = systemError(code);
	expect(transportFailure(cause)).toMatchObject({ kind, detail: code, mayHaveArrived });
	expect(transportFailure(wrapped(systemError(code)))).toMatchObject({ kind, detail: code });
	const error = new Error('outer', { cause: new Error('inner', { cause }) });
	expect(transportFailure(error).kind).toBe(kind);
	expect(transportFailure({ httpCode: code }).kind).toBe(kind);
	expect(transportFailure({ errorResponse: { code } }).kind).toBe(kind);
});

it.each<[string, unknown, FailureKind]>([
	[
		'n8n keeps requests to its own network back',
		new UserError('The request was blocked because it resolves to a restricted IP address'),
		'blocked',
	],
	[
		'the credential is restricted to domains',
		new UserError(
			'Domain not allowed: This credential is restricted from accessing dev.kdlapi.com. Only the following domains are allowed: a.example',
		),
		'blocked',
	],
	['the socket hangs up', new Error('socket hang up'), 'broken'],
	['the answer was cut', new Error('aborted'), 'broken'],
	['something new', new Error('something new'), 'other'],
	['a text was thrown', 'ECONNREFUSED', 'other'],
	['nothing was thrown', undefined, 'other'],
	['null was thrown', null, 'other'],
])('says why when %s', (_name, error, kind) => {
	expect(transportFailure(error).kind).toBe(kind);
	if (error instanceof Error) expect(transportFailure(wrapped(error)).kind).toBe(kind);
});

it.each<[string, boolean]>([
	['socket hang up', true],
	['something new', true],
	['The request was blocked because it resolves to a restricted IP address', false],
	['The request was blocked because the destination hostname is restricted', false],
	['Domain not allowed: This credential is restricted', false],
	['The upstream domain not allowed to answer', true],
])('after "%s" the request may have arrived: %s', (message, expected) => {
	expect(transportFailure(new Error(message)).mayHaveArrived).toBe(expected);
});

it('finds the text that n8n has replaced by one of its own', () => {
	const error = Object.assign(new Error('The connection was closed'), {
		messages: ['500 - "socket hang up"', 5],
	});
	expect(transportFailure(error).kind).toBe('broken');
});

it('believes the code more than the text', () => {
	expect(transportFailure(systemError('ECONNREFUSED', 'Domain not allowed')).kind).toBe('refused');
});

it('believes the first code that it knows', () => {
	const error = Object.assign(systemError('ERR_UNKNOWN'), { httpCode: 'ENOTFOUND' });
	expect(transportFailure(error).kind).toBe('unknownHost');
});

it('is not led round in circles', () => {
	const error = new Error('round');
	error.cause = error;
	expect(transportFailure(error)).toMatchObject({ kind: 'other', detail: 'round' });
});

const KEY = 'jd1gzm6ant2u7poj';
const TOKEN = 'a+b/c=d e北';

describe.each([
	['a message of Kuaidaili', cleanServiceText, 500],
	['an excerpt', excerpt, 200],
])('%s', (_name, clean, longest) => {
	it('is shown as it is when there is nothing wrong with it', () => {
		expect(clean('参数错误: num (1-500)!', [])).toBe('参数错误: num (1-500)!');
	});

	it.each([
		['line ends', 'a\r\nb\nc\rd', 'a b c d'],
		['a NUL and an escape', 'a\u0000b\u001B[31mc', 'a b [31mc'],
		['a bell, a backspace and DEL', 'a\u0007\u0008\u007Fb', 'a b'],
		['C1 controls', 'a\u0080\u009Fb', 'a b'],
		['a change of direction', 'a\u202Eb\u2066c\u200Fd', 'a b c d'],
		['invisible characters', 'a\u200Bb\uFEFFc\u00ADd', 'a b c d'],
		['separators of lines and paragraphs', 'a\u2028b\u2029c', 'a b c'],
		['many spaces', 'a \t\u00A0\u3000  b', 'a b'],
		['space around it', ' \n a \r\n', 'a'],
	])('has one space for %s', (_what, text, expected) => {
		expect(clean(text, [])).toBe(expected);
	});

	it.each([
		[
			'<!DOCTYPE html>\n<html><head><style>b { color: red }</style><title>502 Bad Gateway</title></head><body><script>if (1 < 2) run();</script><b>nginx</b>',
			'502 Bad Gateway nginx',
		],
		['<html><p>cut <a href="http://exam', 'cut'],
		['<html><script>run();</script></html>', '<html><script>run();</script></html>'],
		['a <b> is missing', 'a <b> is missing'],
	])('is what a reader sees of a page: %s', (text, expected) => {
		expect(clean(text, [])).toBe(expected);
	});

	it(`has ${longest} characters at most, and a mark that it goes on`, () => {
		expect(clean('x'.repeat(longest), [])).toBe('x'.repeat(longest));
		expect(clean('x'.repeat(longest + 1), [])).toBe(`${'x'.repeat(longest)}…`);
		expect(clean('x'.repeat(100_000), [])).toBe(`${'x'.repeat(longest)}…`);
	});

	it('is counted in characters, and none is cut in half', () => {
		expect(clean('𠀀'.repeat(longest), [])).toBe('𠀀'.repeat(longest));
		expect(clean('𠀀'.repeat(longest + 1), [])).toBe(`${'𠀀'.repeat(longest)}…`);
	});

	it('hides secrets wherever they are', () => {
		expect(clean(`${KEY} is ${KEY}${KEY}.`, [KEY])).toBe('[hidden] is [hidden][hidden].');
	});

	it('hides secrets also as they stand in a query', () => {
		const url = `https://a.example/?signature=${encodeURIComponent(TOKEN)}&x=1`;
		expect(clean(url, [KEY, TOKEN])).toBe('https://a.example/?signature=[hidden]&x=1');
		expect(clean(`was ${TOKEN}`, [KEY, TOKEN])).toBe('was [hidden]');
	});

	it.each([
		['in single quotes', "signature='abc+/='"],
		['in JSON', '{"signature": "abc+/="}'],
		['in a parameter', 'x?next=signature%3Dabc%2B%2F%3D'],
		['in a parameter of a parameter', 'signature%253dabc%252b'],
		['in escaped JSON', '{\\"signature\\":\\"abc\\"}'],
	])('hides a signature %s', (_where, text) => {
		expect(clean(text, [])).toContain('[hidden]');
		expect(clean(text, [])).not.toMatch(/abc|2b|47|equals/i);
	});

	it.each([
		['in lower-case percent', encodeURIComponent(TOKEN).toLowerCase()],
		['in JSON with escaped slashes', TOKEN.replaceAll('/', '\\/')],
	])('hides a secret %s', (_where, spelled) => {
		expect(clean(`it was ${spelled}!`, [KEY, TOKEN])).toBe('it was [hidden]!');
	});

	it('hides a secret that is cut where reading ends', () => {
		expect(clean(`${'\n'.repeat(3990)}${KEY}`, [KEY])).not.toContain(KEY.slice(0, 3));
	});

	it('hides a secret that the end would cut in half', () => {
		const text = 'x'.repeat(longest - 5) + KEY;
		expect(clean(text, [KEY])).not.toContain(KEY.slice(0, 3));
	});

	it('hides a secret that contains what a pattern would be made of', () => {
		expect(clean('the (.*) $& key', ['(.*) $&'])).toBe('the [hidden] key');
	});

	it('where a key is too long to be looked for, nothing is shown', () => {
		expect(clean(`it was ${'长'.repeat(3000)}`, ['长'.repeat(100_000)])).toBe('[hidden]');
	});

	it('is not blanked out by secrets that are empty or too short to be keys', () => {
		expect(clean('a b c', ['', 'a', 'b c'])).toBe('a b c');
		expect(clean('12345 123456', ['12345'])).toBe('12345 123456');
		expect(clean('12345 123456', ['123456'])).toBe('12345 [hidden]');
	});

	it('is one short line without the secret, whatever the text is', () => {
		const text = fc
			.array(fc.oneof(anyText(), fc.constantFrom(KEY, encodeURIComponent(TOKEN), TOKEN)))
			.map((parts) => parts.join(''));
		fc.assert(
			fc.property(text, fc.nat(3), (untrusted, repeat) => {
				const shown = clean(untrusted.repeat(repeat), [KEY, TOKEN]);
				expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\s|\s$|\s\s/u);
				expect(Array.from(shown).length).toBeLessThanOrEqual(longest + 1);
				expect(shown).not.toContain(KEY);
				expect(shown).not.toContain(TOKEN);
				expect(shown).not.toContain(encodeURIComponent(TOKEN));
			}),
			SOME_RUNS,
		);
	});
});
