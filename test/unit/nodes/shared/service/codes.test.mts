import { codeMeaning, documentedCodes } from '../../../../../nodes/shared/service/codes.ts';
import { COMMON_CODES } from '../../../../../nodes/shared/service/codes/commonCodes.ts';
import { KEY_TYPE_DESCRIPTIONS } from '../../../../../nodes/shared/service/codes/keyTypeDescriptions.ts';
import { ENDPOINTS, type EndpointName } from '../../../../../nodes/shared/service/endpoints.ts';

/** As the service documents them. */
const COMMON = [
	-101, -102, -103, -104, -105, -106, -107, -108, -109, -110, -111, -112, -113, -114, -120, -121,
	-122, -123,
];
const GET_PROXY = [
	2, 3, -1, -2, -3, -4, -5, -6, -7, -11, -12, -13, -14, -15, -16, -20, -21, -22, -23, -24, -25, -26,
	-31, -32, -33, -35, -45, -51,
];
const OWN_CODES: Readonly<Record<EndpointName, readonly number[]>> = {
	getSecretToken: [-1, -2],
	getAccountBalance: [-3],
	getAccountOrders: [],
	getOrderSecret: [-1, -2, -3],
	getOrderInfo: [],
	closeOrder: [-2, -3, -4],
	getIpBalance: [-1, -2],
	queryKpsCity: [-1, -2, -3],
	querySfpsArea: [-1, -2, -3],
	dpsResources: [-1, -3, -4, -5],
	getOrderExpireTime: [-1],
	createOrder: [-1, -2, -3, -4, -5, -61, -62, -71, -72],
	renewOrder: [-1, -2, -3, -4, -5, -6, -7],
	setAutoRenew: [-1, -3],
	getProxy: GET_PROXY,
	getProxySvip: GET_PROXY,
};

const endpoints = Object.entries(OWN_CODES).map(([name, codes]) => ({ name, codes }));

function nameOf(text: string): EndpointName {
	const found = Object.keys(ENDPOINTS).find((name): name is EndpointName => name === text);
	if (found === undefined) throw new Error(`There is no endpoint ${text}`);
	return found;
}

function sorted(codes: Iterable<number>): number[] {
	return [...codes].sort((a, b) => a - b);
}

it('has a table for every endpoint', () => {
	expect(Object.keys(OWN_CODES).sort()).toEqual(Object.keys(ENDPOINTS).sort());
});

it('knows exactly the documented common codes', () => {
	expect(sorted(COMMON_CODES.keys())).toEqual(sorted(COMMON));
});

describe.each(endpoints)('$name', ({ name, codes }) => {
	const endpoint = nameOf(name);
	const meanings = [...documentedCodes(endpoint)].map(([code, meaning]) => ({ code, ...meaning }));

	it('knows exactly the documented codes', () => {
		expect(sorted(documentedCodes(endpoint).keys())).toEqual(sorted([...COMMON, ...codes]));
	});

	it.each([...COMMON, ...codes].filter((code) => code !== -123))(
		'tells the meaning of code %d from its table',
		(code) => {
			expect(codeMeaning(endpoint, code)).toBe(documentedCodes(endpoint).get(code));
		},
	);

	it('says which key pair is needed when it is the wrong one', () => {
		const general = documentedCodes(endpoint).get(-123);
		const { key } = ENDPOINTS[endpoint];
		expect(codeMeaning(endpoint, -123)).toEqual(
			key === 'either'
				? general
				: { message: general?.message, description: KEY_TYPE_DESCRIPTIONS[key] },
		);
	});

	it.each([0, 1, -99, -1000, NaN, Infinity])('knows nothing about code %d', (code) => {
		expect(codeMeaning(endpoint, code)).toBeUndefined();
	});

	it.each(meanings)('says what code $code means and what to do', ({ message, description }) => {
		for (const text of [message, description]) {
			expect(text).toMatch(/^[A-Z'][\x20-\x7E]{9,}$/);
			expect(text).not.toMatch(/ {2}|\b(error|problem|failure|mistake|sorry|please try)/i);
		}
		expect(message).not.toMatch(/[.!?:,]$/);
		expect(description).toMatch(/[^.]\.$/);
	});
});

it.each<[EndpointName, number, string]>([
	['getProxy', -1, 'The service calls the request invalid'],
	['getSecretToken', -1, 'The token endpoint received no key pair'],
	['getOrderExpireTime', -1, 'The service misses a parameter'],
	['getProxy', -3, 'The service did not accept one of the values'],
	['getAccountBalance', -3, 'This operation needs the key pair of the account'],
])('on %s the code %d has a meaning of its own', (endpoint, code, message) => {
	expect(codeMeaning(endpoint, code)?.message).toBe(message);
});

it.each(endpoints)('on $name only these refusals leave open whether it was done', ({ name }) => {
	const open = [...documentedCodes(nameOf(name))].flatMap(([code, { leavesOpen }]) =>
		leavesOpen === true ? [code] : [],
	);
	expect(sorted(open)).toEqual(name === 'createOrder' ? [-109, -72] : [-109]);
});

it.each<[EndpointName, string]>([
	['createOrder', "the account's key pair"],
	['renewOrder', "the order's own key pair"],
	['getSecretToken', "'Account' for the one on the member centre's API page"],
])('on %s the wrong kind of key is cured with the right one', (endpoint, description) => {
	expect(codeMeaning(endpoint, -123)?.description).toContain(description);
});

describe('what the node does by itself', () => {
	const REACTIONS: ReadonlyMap<number, string> = new Map([
		[-107, 'refreshToken'],
		[-112, 'signAgain'],
		[-114, 'signAgain'],
		[-120, 'backOff'],
	]);
	const OF_GET_PROXY: ReadonlyMap<number, string> = new Map([
		...REACTIONS,
		[-21, 'backOff'],
		[-22, 'backOff'],
		[-51, 'minuteCap'],
	]);

	it.each(endpoints)('on $name is only what a refusal proves to be harmless', ({ name }) => {
		const endpoint = nameOf(name);
		const expected = name.startsWith('getProxy') ? OF_GET_PROXY : REACTIONS;
		const actual = [...documentedCodes(endpoint)].flatMap(([code, { retry }]) =>
			retry === undefined ? [] : [[code, retry] as const],
		);
		expect(new Map(actual)).toEqual(expected);
	});
});
