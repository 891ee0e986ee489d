import { ApiError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { documentedCodes } from '../../../../../nodes/shared/service/codes.ts';
import { ENDPOINTS } from '../../../../../nodes/shared/service/endpoints/index.ts';
import { GET_ACCOUNT_BALANCE } from '../../../../../nodes/shared/service/endpoints/account.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import { explainUndocumented } from '../../../../../nodes/shared/transport/describeFailure.ts';
import { check } from './checkedDescription.mts';

describe('a refusal with a documented code', () => {
	const refusals = Object.entries(ENDPOINTS).flatMap(([name, endpoint]) =>
		[...documentedCodes(endpoint)].map(([code, meaning]) => ({ name, endpoint, code, meaning })),
	);

	it.each(refusals)(
		'on $name says what $code means, the description, and what the service said',
		({ endpoint, code, meaning: { message, description } }) => {
			const text = check(new ApiError(endpoint, code, '服务的话'));
			expect(text).toEqual({
				message,
				description: `${description} The service said: 服务的话 (code ${code}).`,
				code: String(code),
			});
		},
	);

	it('tells the code also when the service said nothing', () => {
		const { description } = check(new ApiError(GET_PROXY, -3, ''));
		expect(description).toMatch(/\. The service answered with code -3\.$/);
	});
});

describe('a refusal about an order whose number is known', () => {
	const told = (code: number) =>
		check(Object.assign(new ApiError(GET_PROXY, code, ''), { orderid: '965102959536478' })).message;

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
		expect(text.message).toBe('The service refused the request with code -999: 未知错误');
		expect(text.description).toContain('This node does not know this code.');
		expect(text.code).toBe('-999');
	});

	it('says what is most likely wrong, and sends nobody to support then', async () => {
		const refusal = Promise.reject(new ApiError(GET_PROXY, -999, '未知错误'));
		const error: unknown = await explainUndocumented(refusal, 'Check the product.').catch(
			(reason: unknown) => reason,
		);
		expect(check(error as ApiError).description).toBe(
			"Check the product. If that isn't the reason, try again in a few minutes.",
		);
	});

	it('that is known is explained by its own meaning', async () => {
		const refusal = Promise.reject(new ApiError(GET_PROXY, -14, ''));
		const error: unknown = await explainUndocumented(refusal, 'Check the product.').catch(
			(reason: unknown) => reason,
		);
		expect(check(error as ApiError).description).not.toContain('Check the product.');
	});

	it('says that the service said nothing', () => {
		const text = check(new ApiError(GET_ACCOUNT_BALANCE, 3, ''));
		expect(text.message).toBe('The service refused the request with code 3: no message');
	});
});

describe('a signature that is too old', () => {
	const first = (code: number, differenceMs?: number) =>
		check(new ApiError(GET_PROXY, code, '', differenceMs)).description;

	it.each([
		[600_000, 'The clock of this machine is 10 minutes behind the clock of the service. '],
		[-600_000, 'The clock of this machine is 10 minutes ahead of the clock of the service. '],
		[90_061_000, 'The clock of this machine is 1 day 1 hour behind the clock of the service. '],
		[-28_800_000, 'The clock of this machine is 8 hours ahead of the clock of the service. '],
		[2000, 'The clock of this machine is 2 seconds behind the clock of the service. '],
	])('with a difference of %d ms says by how much and in which direction', (ms, sentence) => {
		expect(first(-112, ms).startsWith(`${sentence}Correct the clock of the machine`)).toBe(true);
	});

	it.each([undefined, 0, 1999, -1999])('with a difference of %s ms says nothing about it', (ms) => {
		expect(first(-112, ms).startsWith('Correct the clock of the machine')).toBe(true);
	});

	it('is the only refusal that has to do with the clock', () => {
		expect(first(-114, 600_000)).not.toContain('clock');
		expect(first(-104, 600_000)).not.toContain('clock');
	});
});
