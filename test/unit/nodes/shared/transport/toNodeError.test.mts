import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import { QUERY_KPS_CITY } from '../../../../../nodes/shared/service/endpoints/lookup.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import {
	CancelledError,
	DescribedError,
	HttpStatusError,
	NetworkError,
	ApiError,
	InvalidResponseError,
	type CallError,
} from '../../../../../nodes/shared/errors/callErrors.ts';
import { failureOf } from '../../../../../nodes/shared/errors/transportFailure.ts';
import {
	toNodeError,
	describeFailure,
} from '../../../../../nodes/shared/transport/describeFailure.ts';
import { node } from '../../../support/node.mts';

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
		const { message, description } = describeFailure(failure);
		const error = toNodeError(node, failure, of(7));
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error.message).toBe(`${message} [item 7]`);
		expect(error.description).toBe(description);
		expect(error.context.itemIndex).toBe(7);
		expect(error).toHaveProperty('httpCode', code);
		expect(error.node).toBe(node);
	});

	it.each(TRAPS)('keeps its words although the service says %s', (trap) => {
		const failure = new ApiError(GET_PROXY, -999, `upstream ${trap}`);
		const error = toNodeError(node, failure, of(0));
		expect(error.message).toBe(
			`Kuaidaili refused the request with code -999: upstream ${trap} [item 0]`,
		);
	});

	it('with a note says that too', () => {
		const failure = new HttpStatusError(502, '');
		failure.note = 'Five proxies are lost.';
		expect(toNodeError(node, failure, of(0)).description).toMatch(/Five proxies are lost\.$/);
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

	it('of an operation keeps its texts and gets the item', () => {
		const own = new NodeOperationError(node, 'Own words', { description: 'What to do' });
		const error = toNodeError(node, own, of(5));
		expect(error).toBe(own);
		expect(error.message).toBe('Own words [item 5]');
		expect(error.description).toBe('What to do');
		expect(error.context.itemIndex).toBe(5);
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

	it.each(TRAPS)('a failed call keeps its words although the service says %s', (trap) => {
		const failure = new ApiError(QUERY_KPS_CITY, -999, `upstream ${trap}`);
		expect(toNodeError(node, failure).message).toBe(
			`Kuaidaili refused the request with code -999: upstream ${trap}`,
		);
	});
});

it("an item without others needs no number, as in n8n's editor", () => {
	const error = toNodeError(node, new HttpStatusError(429, ''), { index: 0, isOnly: true });
	expect(error.message).toBe('Kuaidaili was called too often (HTTP status 429)');
	expect(error.context.itemIndex).toBe(0);
});
