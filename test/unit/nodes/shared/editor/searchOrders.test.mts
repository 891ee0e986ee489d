import type { IDataObject, IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';

import { orderListSearch } from '../../../../../nodes/shared/editor/listSearch.ts';
import type { OrderFilter } from '../../../../../nodes/shared/orders/orderField.ts';
import { freshCredential, SECRET_KEY } from '../../../support/credential.mts';
import { node } from '../../../support/node.mts';

/** The editor, with a service that has these orders. */
class Editor {
	readonly requests: IHttpRequestOptions[] = [];

	private readonly credential: IDataObject;

	constructor(
		private readonly data: unknown,
		keyType = 'account',
		private readonly usable?: OrderFilter,
	) {
		const { secretId } = freshCredential();
		this.credential = { keyType, secretId, secretKey: SECRET_KEY };
	}

	async list(filter?: string): Promise<Array<[name: string, value: unknown]>> {
		const context = {
			getNode: () => node,
			getCurrentNodeParameter: () => undefined,
			getCredentials: async () => await Promise.resolve({ ...this.credential }),
			helpers: {
				httpRequestWithAuthentication: async (_type: string, request: IHttpRequestOptions) => {
					this.requests.push(request);
					const body = JSON.stringify({ code: 0, msg: '', data: this.data });
					return await Promise.resolve({ statusCode: 200, headers: {}, body });
				},
			},
		};
		const { results } = await orderListSearch(() => this.usable).call(
			context as unknown as ILoadOptionsFunctions,
			filter,
		);
		return results.map(({ name, value }) => [name, value]);
	}

	async failure(): Promise<string> {
		const outcome: unknown = await this.list().catch((error: unknown) => error);
		if (outcome instanceof Error) return outcome.message;
		throw new Error('It did not fail');
	}
}

function order(orderid: unknown, fields: IDataObject = {}) {
	return { orderid, pay_type: 'PRE_PAY', product: 'TPS', status: 'VALID', ...fields };
}

const LATE = order('300', { expire_time: '2026-06-18 12:01:43' });
const SOON = order('200', { product: 'DPS', expire_time: '2026-05-01 00:00:00' });
const ENDLESS = order('100', { pay_type: 'POST_PAY', expire_time: '' });
const PER_IP = order('400', { product: 'DPS', pay_type: 'PRE_PAY_IP' });

it('asks for the orders in force', async () => {
	const editor = new Editor([LATE]);
	await editor.list();
	expect(editor.requests.map(({ url, qs }) => [url, qs])).toEqual([
		['https://dev.kdlapi.com/api/getaccountorders', { status: 'VALID' }],
	]);
});

it('says of each its number, what it is, and when it ends, those that end first at the top', async () => {
	expect(await new Editor([ENDLESS, LATE, PER_IP, SOON]).list()).toEqual([
		['200, Private Proxy, to 2026-05-01', '200'],
		['300, Tunnel Proxy, to 2026-06-18', '300'],
		['100, Tunnel Proxy, Pay-As-You-Go', '100'],
		['400, Private Proxy, Pay per IP', '400'],
	]);
});

it('shows what it does not know as it is, and leaves out what is not there', async () => {
	const orders = [
		order('1', { product: 'NEW', pay_type: 'LATER', expire_time: 'never' }),
		{ orderid: '2' },
		order('3', { product: 5, pay_type: null, expire_time: 7 }),
		order('4', { product: 'constructor', pay_type: 'toString' }),
	];
	expect(await new Editor(orders).list()).toEqual([
		['1, NEW, LATER', '1'],
		['2', '2'],
		['3', '3'],
		['4, constructor, toString', '4'],
	]);
});

it('keeps the number a text', async () => {
	expect(await new Editor([order(399141692192336)]).list()).toEqual([
		['399141692192336, Tunnel Proxy, Prepaid', '399141692192336'],
	]);
});

it.each<[typed: string | undefined, found: string[]]>([
	[undefined, ['200', '300', '100', '400']],
	['', ['200', '300', '100', '400']],
	['300', ['300']],
	[' 00 ', ['200', '300', '100', '400']],
	['tunnel', ['300', '100']],
	['TPS', ['300', '100']],
	['dps', ['200', '400']],
	['pay per ip', ['400']],
	['prepaid', ['200', '300']],
	['2026-05', ['200']],
	['06-18 12:01', ['300']],
	['private 2026-05', ['200']],
	['ip private', ['400']],
	['tunnel 2026-05', []],
	['隧道', ['300', '100']],
	['私密代理', ['200', '400']],
	['Atlantis', []],
	['.*', []],
])('%j finds %j', async (typed, found) => {
	const list = await new Editor([ENDLESS, LATE, PER_IP, SOON]).list(typed);
	expect(list.map(([, value]) => value)).toEqual(found);
});

it('says so when there is none', async () => {
	expect(await new Editor([]).failure()).toBe('The account has no active orders.');
});

it('explains to the key pair of an order that none is to be chosen, and asks nothing', async () => {
	const editor = new Editor([LATE], 'order');
	expect(await editor.failure()).toBe(
		"The credential holds an order's key pair, so there is nothing to choose. Leave this field empty to use that order.",
	);
	expect(editor.requests).toEqual([]);
});

it('offers the orders that can be used, and those of which the service does not tell', async () => {
	const unknown = { orderid: '500' };
	const all = [LATE, SOON, ENDLESS, PER_IP, unknown];
	const values = async (filter: OrderFilter) =>
		(await new Editor(all, 'account', filter).list()).map(([, value]) => value).sort();
	expect(await values({})).toEqual(['100', '200', '300', '400', '500']);
	expect(await values({ products: ['DPS'] })).toEqual(['200', '400', '500']);
	expect(await values({ products: ['DPS'], payTypes: ['PRE_PAY'] })).toEqual(['200', '500']);
	expect(await values({ payTypes: ['POST_PAY'] })).toEqual(['100', '500']);
});

it('says that no order can be used, rather than that there is none', async () => {
	const topUps: OrderFilter = { products: ['SFPS'], payTypes: ['PRE_PAY_IP'] };
	expect(await new Editor([LATE], 'account', topUps).failure()).toBe(
		"None of the account's active orders is of this kind: Overseas Static Proxy (SFPS), Pay per IP. New orders show up here within a minute.",
	);
	expect(await new Editor([], 'account', { products: ['FPS'] }).failure()).toBe(
		'The account has no active orders.',
	);
});
