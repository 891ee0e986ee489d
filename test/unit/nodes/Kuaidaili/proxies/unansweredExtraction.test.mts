import {
	ApiError,
	CancelledError,
	InvalidResponseError,
} from '../../../../../nodes/shared/errors/callErrors.ts';
import { fakeCaller, inTurn, refusal, reply } from '../../../support/fakeCaller.mts';
import { addresses, extract, extraction, listReply } from './extraction.mts';

describe('what cannot be answered', () => {
	it('in the first call is an error', async () => {
		const { error } = await extract(fakeCaller(inTurn(refusal(-3))), extraction(20));
		expect(error).toBeInstanceOf(ApiError);
	});

	it.each([
		['a refusal', refusal(-3), { code: -3 }],
		['a page of a gateway', reply('<html>', { status: 502 }), { status: 502 }],
		['an answer that cannot be read', reply('{"code":0,'), { name: 'InvalidResponseError' }],
	])('in a later call takes nothing away: %s', async (_what, answer, failure) => {
		const caller = fakeCaller(inTurn(listReply(addresses(0, 10)), answer));
		const { found, endedBy, error } = await extract(caller, extraction(20));
		expect(error).toBeUndefined();
		expect(found).toEqual(addresses(0, 10));
		expect(endedBy).toMatchObject(failure);
	});

	it('because the execution was canceled is an error at any time', async () => {
		const cancel = new AbortController();
		const caller = fakeCaller(
			(_request, index) => {
				if (index === 0) return listReply(addresses(0, 10));
				cancel.abort();
				return 'silence';
			},
			{ signal: cancel.signal },
		);
		const { error } = await extract(caller, extraction(20));
		expect(error).toBeInstanceOf(CancelledError);
	});

	it('is an answer with an entry that is no proxy', async () => {
		const caller = fakeCaller(inTurn(listReply(['1.2.3.4:80', 'garbage'])));
		const { error } = await extract(caller, extraction(2));
		expect(error).toBeInstanceOf(InvalidResponseError);
		expect(error).toMatchObject({ excerpt: 'garbage' });
	});

	it('does not show the secret key', async () => {
		const caller = fakeCaller(inTurn(listReply(['the-secret-key'])));
		const { error } = await extract(caller, extraction(2));
		expect(error).toMatchObject({ excerpt: '[hidden]' });
	});
});
