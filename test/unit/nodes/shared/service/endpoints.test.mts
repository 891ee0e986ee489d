import { codeMeaning, documentedCodes } from '../../../../../nodes/shared/service/codes.ts';
import { read, type CallKind } from '../../../../../nodes/shared/service/endpoint.ts';
import { ENDPOINTS } from '../../../../../nodes/shared/service/endpoints/index.ts';
import { SETS_A_STATE, SPENDS_MONEY, USES_QUOTA } from '../../../../operations/effects.mts';
import { ROWS } from '../../../../sandbox/endpoints/endpointRows.mts';
import { ENDPOINTS as SANDBOX_ENDPOINTS } from '../../../../../sandbox/endpoints/table.mts';

/** The same path without `dedup` only reads. */
const USES_ADDRESSES_OF_TODAY = ['GET_NEW_PROXY', 'GET_NEW_PROXY_SVIP'];

function kindOf(name: string, path: string): CallKind {
	if (SPENDS_MONEY.includes(path)) return 'purchase';
	if (USES_QUOTA.includes(path) || USES_ADDRESSES_OF_TODAY.includes(name)) return 'quota';
	return SETS_A_STATE.includes(path) ? 'setting' : 'read';
}

/** One call every so many milliseconds, where the pace of the sandbox alone does not decide. */
const OTHER_PACES: ReadonlyMap<string, readonly number[]> = new Map([
	// By the plan of the order
	['/api/getproxy', [200, 5000]],
	// Has no signature, and no row with the others
	['/api/get_secret_token', [1000]],
	// Nobody says it: the slowest that others have
	['/api/checkopsvalid', [1000]],
	// That of accounts that have not paid anything
	['/api/getua', [1000]],
]);

/** By the strictest of all limits, 120 calls per minute among them, in milliseconds. */
function documentedIntervalMs(path: string): number | undefined {
	const row = ROWS.find((each) => each.path === path);
	if (row === undefined) return undefined;
	const further = row.further.map(({ intervalMs, calls }) => intervalMs / calls);
	return Math.max(1000 / row.callsPerSecond, ...further);
}

/** Own codes that prove that nothing was done, and that another call can mend. */
const OWN_RETRIED: ReadonlyMap<string, readonly number[]> = new Map([
	['/api/getproxy', [-21, -22, -51]],
	...['dps', 'kps', 'kpsbyid', 'tps', 'tpspro', 'fps', 'fpsip', 'sfps'].map(
		(name): [string, number[]] => [`/api/get${name}`, [-2, -51]],
	),
	['/api/get_secret_token', [-2]],
	['/api/setipwhitelist', [-1]],
]);

const rows = Object.entries(ENDPOINTS).map(([name, endpoint]) => ({ name, endpoint }));

it.each(rows)('$name is where the sandbox has it, and takes the same key', ({ endpoint }) => {
	const { path, host, method, key } = endpoint;
	const known = SANDBOX_ENDPOINTS.find((other) => other.path === path);
	expect(known?.hosts.map((name) => `${name}Url`)).toContain(host);
	expect(known?.methods).toContain(method);
	expect(known?.key).toBe(key === 'either' ? 'any' : key);
});

it.each(rows)('$name is called at a documented pace', ({ endpoint }) => {
	const { path, intervalMs } = endpoint;
	expect(OTHER_PACES.get(path) ?? [documentedIntervalMs(path)]).toContain(intervalMs);
});

it.each(rows)('$name says what it does to the account', ({ name, endpoint }) => {
	expect(endpoint.kind).toBe(kindOf(name, endpoint.path));
});

describe.each(rows)('a refusal by $name', ({ name, endpoint }) => {
	const meanings = [...documentedCodes(endpoint)].map(([code, meaning]) => ({ code, ...meaning }));
	const usesSomethingUp = ['purchase', 'quota'].includes(kindOf(name, endpoint.path));

	it.each(meanings)('says what code $code means and what to do', ({ message, description }) => {
		for (const text of [message, description]) {
			expect(text).toMatch(/^[A-Z'][\x20-\x7E]{9,}$/);
			expect(text).not.toMatch(/ {2}|\b(error|problem|failure|mistake|sorry|please try)/i);
		}
		expect(message).not.toMatch(/[.!?:,]$/);
		expect(description).toMatch(/[^.]\.$/);
	});

	it('with a code that is not documented has no meaning', () => {
		for (const code of [0, 5, -99, -1000, NaN, Infinity]) {
			expect(codeMeaning(endpoint, code)).toBeUndefined();
		}
	});

	it('for the wrong key pair tells the kind that is needed', () => {
		const description = codeMeaning(endpoint, -123)?.description;
		expect(description).toContain(
			{
				account: "Use a credential with the account's key pair",
				order: "order's own key pair",
				either: "Set 'Key Type' in the credential",
			}[endpoint.key],
		);
	});

	it('leaves open whether something was done only after an internal fault or a repetition', () => {
		const open = meanings.filter(({ leavesOpen }) => leavesOpen === true).map(({ code }) => code);
		const ofRepetition = usesSomethingUp ? [-114] : [];
		const ofOrder = name === 'CREATE_ORDER' ? [-72] : [];
		expect(new Set(open)).toEqual(new Set([-109, ...ofRepetition, ...ofOrder]));
	});

	it('is answered by another call only where it says "too early", "authenticate anew" or "something went wrong"', () => {
		const retried = meanings.flatMap(({ code, retry }) => (retry === undefined ? [] : [code]));
		const authentication = [-102, -104, -107, -112, -114, -122].filter(
			(code) => code !== -114 || !usesSomethingUp,
		);
		const own = OWN_RETRIED.get(endpoint.path) ?? [];
		expect(new Set(retried)).toEqual(new Set([...authentication, -109, -120, ...own]));
	});
});

it('an own code of an endpoint comes before the common one', () => {
	const own = { message: 'Something else', description: 'Do something else.' };
	const endpoint = read('/api/any', { key: 'order', codes: { [-107]: own } });
	expect(codeMeaning(endpoint, -107)).toBe(own);
});
