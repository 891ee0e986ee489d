import type { IDataObject } from 'n8n-workflow';

import {
	failedProxyOf,
	refuseLosses,
} from '../../../../../nodes/Kuaidaili/actions/proxy/extract/failedProxy.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/field.ts';

const failed = (json: IDataObject) =>
	failedProxyOf(
		{ error: 'x', proxyUrl: 'http://user:password@1.2.3.4:5678', page: 7, ...json },
		{ proxyField: 'proxyUrl', product: 'DPS' },
	);

describe('a request that failed through a proxy', () => {
	it.each<[string, IDataObject | string, string | undefined]>([
		['without a status', { message: 'read ECONNRESET' }, 'failed'],
		['with the status of a gateway', { status: 502 }, 'failed'],
		['with that of a site that blocks', { httpCode: '403' }, 'blocked'],
		['with it in the response alone', { response: { status: 429 } }, 'blocked'],
		['with it in the message alone', { message: 'Request failed with status code 403' }, 'blocked'],
		['with it at the beginning of a text', '429 - too many', 'blocked'],
		['with that of a refused login', { statusCode: 407 }, 'loginRefused'],
		['with that of a page that is not there', { httpCode: '404' }, undefined],
		['with what is no status', { httpCode: '-1', message: 'read ECONNRESET' }, 'failed'],
		['with a status that is none', { status: 600 }, 'failed'],
	])('%s', (_what, error, fault) => {
		expect(failed({ error })?.fault).toBe(fault);
	});

	it('names the proxy, and stands for the same site as the item without it', () => {
		expect(failed({})?.address).toBe('1.2.3.4:5678');
		expect(failed({})?.site).toBe(failed({ proxyDetails: {} })?.site);
		expect(failed({})?.site).not.toBe(failed({ page: 8 })?.site);
		expect(failed({ error: '' })).toBeUndefined();
		expect(failed({ proxyUrl: 'none' })).toBeUndefined();
	});
});

it.each<[string, IDataObject]>([
	['in the details of it', { proxyDetails: { address: '1.2.3.4:5678' } }],
	['beside it', { address: '1.2.3.4:5678' }],
])('a proxy that an earlier Extract has put into the item, %s, is replaced', (_where, details) => {
	const replace = (json: IDataObject) => () =>
		refuseLosses(json, { proxyField: 'proxyUrl', product: 'DPS' });
	const proxyUrl = 'http://user:password@1.2.3.4:5678';
	expect(replace({ proxyUrl, ...details })).not.toThrow();
	expect(replace({ proxyUrl: 'http://1.2.3.4:5679', ...details })).toThrow(InvalidFieldError);
});
