import { privateProxyResources } from '../../../../../nodes/Kuaidaili/availability/privateProxyResources.ts';
import {
	InvalidResponseError,
	WrongKeyTypeError,
} from '../../../../../nodes/shared/transport/callErrors.ts';
import { freshCredential } from '../../../support/credential.mts';
import { fakeCaller, reply } from '../../../support/fakeCaller.mts';
import { runQuery } from '../../../../../nodes/shared/transport/runQuery.ts';

const BEIJING = {
	area_name: '北京',
	area_code: 11,
	carrier_name: '电信',
	carrier_code: 2,
	available: true,
};
const NONE = {
	area_name: '浙江',
	area_code: 33,
	carrier_name: '',
	carrier_code: -1,
	available: false,
};

function answering(data: unknown) {
	return fakeCaller(() => reply({ code: 0, msg: 'success', data }));
}

it("asks the private proxies' own host, and gives the records as they are", async () => {
	const caller = answering([BEIJING, NONE]);
	const parameters = { area: '11,33', carrier: '2' };
	expect(await runQuery(caller, privateProxyResources, parameters)).toEqual([BEIJING, NONE]);
	expect(caller.requests).toEqual([
		expect.objectContaining({
			method: 'GET',
			url: 'https://dps.kdlapi.com/api/dpsresources',
			qs: parameters,
		}),
	]);
});

it('sends nothing that was not asked for', async () => {
	const caller = answering([]);
	expect(await runQuery(caller, privateProxyResources, {})).toEqual([]);
	expect(caller.requests[0].qs).toEqual({});
});

it('takes codes that are texts as well', async () => {
	const record = { ...BEIJING, area_code: '3301' };
	expect(await runQuery(answering([record]), privateProxyResources, {})).toEqual([record]);
});

it.each([
	['', ''],
	['null', null],
	['an object', { 11: BEIJING }],
	['a text in the list', ['北京']],
	['no code', [{ ...BEIJING, area_code: undefined }]],
	['no name', [{ ...BEIJING, area_name: undefined }]],
	['an availability that is no yes or no', [{ ...BEIJING, available: 1 }]],
	['no availability', [BEIJING, { ...NONE, available: undefined }]],
])('takes %s for no answer', async (_what, data) => {
	await expect(runQuery(answering(data), privateProxyResources, {})).rejects.toThrow(
		InvalidResponseError,
	);
});

it('asks nothing with the key pair of an account', async () => {
	const caller = fakeCaller(() => reply({ code: 0, msg: '', data: [BEIJING] }), {
		credential: freshCredential({ keyType: 'account' }),
	});
	await expect(runQuery(caller, privateProxyResources, {})).rejects.toThrow(WrongKeyTypeError);
	expect(caller.requests).toEqual([]);
});
