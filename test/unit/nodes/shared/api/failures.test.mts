import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	ApiError,
	type CallError,
	CancelledError,
	DescribedError,
	HttpStatusError,
	InvalidResponseError,
	NetworkError,
	type FailureKind,
	failureOf,
	toNodeError,
} from '../../../../../nodes/shared/api/errors.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/field.ts';
import { codeMeaning } from '../../../../../nodes/shared/service/codes.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import { durationInWords } from '../../../../../nodes/shared/wording.ts';
import { node } from '../../../support/node.mts';
import { check } from './checkedDescription.mts';

describe('an HTTP status', () => {
	it.each([
		[
			300,
			'Kuaidaili redirected to another address (HTTP status 300), and this node does not follow redirects',
			/hosts/,
		],
		[
			399,
			'Kuaidaili redirected to another address (HTTP status 399), and this node does not follow redirects',
			/hosts/,
		],
		[204, 'Kuaidaili answered with HTTP status 204', /hosts in the credential/],
		[400, 'Kuaidaili answered with HTTP status 400', /hosts in the credential/],
		[404, 'Kuaidaili answered with HTTP status 404', /hosts in the credential/],
		[407, 'Kuaidaili answered with HTTP status 407', /HTTPS_PROXY/],
		[429, 'Kuaidaili was called too often (HTTP status 429)', /spread out the calls/],
		[500, 'Kuaidaili is unavailable right now (HTTP status 500)', /Try again in a few minutes/],
		[502, 'Kuaidaili is unavailable right now (HTTP status 502)', /Try again in a few minutes/],
		[503, 'Kuaidaili is unavailable right now (HTTP status 503)', /Try again in a few minutes/],
	])('of %d has words of its own', (status, message, description) => {
		const text = check(new HttpStatusError(status, 'Bad gateway'));
		expect(text.message).toBe(message);
		expect(text.description).toMatch(description);
		expect(text.description).toMatch(/\. The response began with: Bad gateway$/);
		expect(text.code).toBe(String(status));
	});
});

describe('no answer', () => {
	const texts: ReadonlyArray<[FailureKind, string, RegExp]> = [
		['refused', 'dev.kdlapi.com refused the connection', /network and the firewall/],
		['unknownHost', 'The host dev.kdlapi.com was not found', /DNS/],
		[
			'timeout',
			'dev.kdlapi.com did not answer within 30 seconds',
			/raise 'API Timeout \(Seconds\)' where 'Options' have it/,
		],
		[
			'broken',
			'The connection to dev.kdlapi.com was lost before the whole response arrived',
			/Try again in a few minutes/,
		],
		['tls', 'Could not establish a secure connection to dev.kdlapi.com', /clock of this machine/],
		[
			'blocked',
			'n8n did not allow the request to dev.kdlapi.com',
			/'Allowed HTTP Request Domains'/,
		],
		['other', 'The request to dev.kdlapi.com got no response', /Try again in a few minutes/],
	];

	it.each(texts)('of the kind %s has words of its own', (kind, message, description) => {
		const error = new NetworkError(failureOf(kind, 'E_DETAIL'), 'dev.kdlapi.com', 30_000);
		const text = check(error);
		expect(text.message).toBe(message);
		expect(text.description).toMatch(description);
		expect(text.description).toMatch(/\.$/);
		expect(text.description.includes('n8n said: "E_DETAIL".')).toBe(kind === 'other');
	});
});

describe('other failures', () => {
	it('show how an unusable answer began', () => {
		expect(check(new InvalidResponseError('is not valid JSON', '{"code":'))).toEqual({
			message: "Kuaidaili's response is not valid JSON",
			description: 'Try again in a few minutes. The response began with: {"code":',
		});
		expect(check(new InvalidResponseError('is empty', '')).description).toBe(
			'Try again in a few minutes.',
		);
	});
});

it('adds what else the user has to know', () => {
	const error = new HttpStatusError(502, '');
	// Several callers may share a failure, and say the same of it
	for (let caller = 0; caller < 2; caller++) error.addNote('Five proxies are lost.');
	expect(check(error).description).toBe('Try again in a few minutes. Five proxies are lost.');
});

it.each([
	[0, '0 seconds'],
	[499, '0 seconds'],
	[500, '1 second'],
	[-1000, '1 second'],
	[59_499, '59 seconds'],
	[59_500, '1 minute'],
	[61_000, '1 minute 1 second'],
	[3_600_000, '1 hour'],
	[3_661_000, '1 hour 1 minute'],
	[3_601_000, '1 hour 1 second'],
	[7_500_000, '2 hours 5 minutes'],
	[86_400_000, '1 day'],
	[-2 * 86_400_000 - 3_600_000, '2 days 1 hour'],
	[400 * 86_400_000, '400 days'],
])('%d ms is %s', (ms, words) => {
	expect(durationInWords(ms)).toBe(words);
});

it('a refusal with a documented code says what it means, what to do, and what Kuaidaili said', () => {
	const meaning = codeMeaning(GET_PROXY, -14);
	expect(check(new ApiError(GET_PROXY, -14, '服务的话'))).toEqual({
		message: meaning?.message,
		description: `${meaning?.description} Kuaidaili said: 服务的话 (code -14).`,
		code: '-14',
	});
});

describe('a refusal about an order whose number is known', () => {
	const told = (code: number) => {
		const error = new ApiError(GET_PROXY, code, '', undefined, '965102959536478');
		return check(error).message;
	};

	it('names it', () => {
		expect(told(-14)).toBe('Order 965102959536478 is banned');
	});

	it('of something else does not', () => {
		expect(told(-24)).not.toContain('965102959536478');
	});
});

describe('a refusal with an unknown code', () => {
	it('shows what the service said and the code', () => {
		const text = check(new ApiError(GET_PROXY, -999, '未知错误'));
		expect(text.message).toBe('Kuaidaili refused the request with code -999: 未知错误');
		expect(text.description).toContain('This node does not know this code.');
		expect(text.code).toBe('-999');
	});

	it('says what is most likely wrong, and sends nobody to support then', () => {
		const error = new ApiError({ ...GET_PROXY, otherwise: 'Check the product.' }, -999, '未知错误');
		expect(check(error).description).toBe(
			"Check the product. If that isn't the reason, try again in a few minutes.",
		);
	});
});

/** An item among others. */
const of = (index: number) => ({ index, isOnly: false });

/** Words for which n8n would put a text of its own in place of the message. */
const TRAPS = [
	'ECONNREFUSED',
	'ECONNRESET',
	'ENOTFOUND',
	'ETIMEDOUT',
	'ECONNABORTED',
	'EHOSTUNREACH',
	'EAI_AGAIN',
	'ENOENT',
	'EACCES',
	'EPERM',
	'getaddrinfo',
	'bad gateway',
];

describe('a failed call', () => {
	const failures: Array<[CallError, string | null]> = [
		[new ApiError(GET_PROXY, -3, '参数错误'), '-3'],
		[new ApiError(GET_PROXY, 2, ''), '2'],
		[new ApiError(GET_PROXY, 404, 'unknown'), '404'],
		[new ApiError(GET_PROXY, -999, 'unknown'), '-999'],
		[new HttpStatusError(429, ''), '429'],
		[new HttpStatusError(404, ''), '404'],
		[new HttpStatusError(502, 'Bad gateway'), '502'],
		[new NetworkError(failureOf('refused', 'ECONNREFUSED'), 'dev.kdlapi.com', 30_000), null],
		[new NetworkError(failureOf('timeout', 'ETIMEDOUT'), 'dev.kdlapi.com', 30_000), null],
		[new InvalidResponseError('is not valid JSON', '{'), null],
		[new DescribedError({ message: 'The credential cannot be used', description: 'Why.' }), null],
		[new CancelledError(), null],
	];

	it.each(failures)('(%#: %s) keeps its words and has the item and the code', (failure, code) => {
		const { message, description } = failure.describe();
		const error = toNodeError(node, failure, of(7));
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error.message).toBe(`${message} [item 7]`);
		expect(error.description).toBe(description);
		expect(error.context.itemIndex).toBe(7);
		expect(error).toHaveProperty('httpCode', code);
		expect(error.node).toBe(node);
	});
});

describe('a refused value', () => {
	it.each(TRAPS)('keeps its words although the value is %s', (trap) => {
		const refused = new InvalidFieldError('Areas', trap, 'Allowed: names.');
		expect(toNodeError(node, refused, of(3)).message).toBe(`'Areas' can't be "${trap}" [item 3]`);
	});
});

describe("n8n's own error", () => {
	it('of a request keeps its texts and gets the item', () => {
		const own = new NodeApiError(
			node,
			{ code: '503' },
			{
				message: 'Own words',
				description: 'What to do',
				httpCode: '503',
			},
		);
		const error = toNodeError(node, own, of(5));
		expect(error).toBe(own);
		expect(error.message).toBe('Own words [item 5]');
		expect(error.description).toBe('What to do');
		expect(error.context.itemIndex).toBe(5);
		expect(error).toHaveProperty('httpCode', '503');
	});

	it.each(['NodeApiError', 'NodeOperationError'])(
		'%s from a second copy of n8n is known',
		(name) => {
			const foreign = Object.assign(new Error('Own words'), {
				name,
				description: 'What to do',
				context: {},
			});
			const error = toNodeError(node, foreign, of(5));
			expect(error).toBe(foreign);
			expect(error.message).toBe('Own words [item 5]');
			expect(error.context).toEqual({ itemIndex: 5 });
		},
	);
});

describe('anything else that is thrown', () => {
	it.each([
		[new Error('Something else'), 'Something else'],
		[new TypeError('x is not a function'), 'x is not a function'],
		['a text', 'a text'],
		[undefined, 'undefined'],
	])('(%p) becomes an error of the node for the item', (thrown, message) => {
		const error = toNodeError(node, thrown, of(2));
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error.message.startsWith(message)).toBe(true);
		expect(error.context.itemIndex).toBe(2);
	});
});

describe('where there are no items, as in the editor,', () => {
	it.each<[string, unknown, string]>([
		[
			'a failed call',
			new HttpStatusError(502, ''),
			'Kuaidaili is unavailable right now (HTTP status 502)',
		],
		[
			'a refused value',
			new InvalidFieldError('Model', 'DYN', 'Allowed: STA.'),
			"'Model' can't be \"DYN\"",
		],
		["n8n's own error", new NodeOperationError(node, 'Own words'), 'Own words'],
		['anything else', new Error('Something else'), 'Something else'],
		['what is no error', 'a text', 'a text'],
	])('%s names none', (_what, thrown, message) => {
		const error = toNodeError(node, thrown);
		expect(error.message).toBe(message);
		expect(error.context.itemIndex).toBeUndefined();
	});
});

it("an item without others needs no number, as in n8n's editor", () => {
	const error = toNodeError(node, new HttpStatusError(429, ''), { index: 0, isOnly: true });
	expect(error.message).toBe('Kuaidaili was called too often (HTTP status 429)');
	expect(error.context.itemIndex).toBe(0);
});
