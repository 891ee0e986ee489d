import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { ORDER_CASES } from '../../operations/orderCases.mts';
import { call, type KeyName, type Reply } from '../client.mts';
import { create, startShop } from '../ordering.mts';
import { REFUSALS } from './refusals.mts';

/** The calls that a text like `serie=2 model=STA|DYN -city` stands for. */
function variations(works: string, text: string): Array<{ key?: KeyName; query: string }> {
	let calls: Array<{ key?: KeyName; query: URLSearchParams }> = [
		{ query: new URLSearchParams(works) },
	];
	for (const part of text.split(' ').filter(Boolean)) {
		const [name = '', values = ''] = part.split(/=(.*)/su);
		calls = calls.flatMap(({ key, query }) => {
			if (part.startsWith('@')) return [{ key: part.slice(1) as KeyName, query }];
			const others = new URLSearchParams(query);
			others.delete(name.replace(/^-/, ''));
			if (part.startsWith('-')) return [{ key, query: others }];
			return values.split('|').map((value) => {
				const changed = new URLSearchParams(others);
				changed.set(name, decodeURIComponent(value));
				return { key, query: changed };
			});
		});
	}
	return calls.map(({ key, query }) => ({ ...(key && { key }), query: query.toString() }));
}

/** What a failure says in text, or else in JSON: its code. */
function codeOf(reply: Reply): number {
	const [, code] = /^ERROR\((-?\d+)\): ./.exec(reply.text) ?? [];
	return code === undefined ? reply.json.code : Number(code);
}

let sandbox: Sandbox;

afterEach(() => sandbox.close());

it('createorder takes what the table of order cases says, and nothing else', async () => {
	sandbox = await startShop();
	for (const { name, sent, wrong } of ORDER_CASES) {
		if (sent === undefined) continue;
		const { code } = await create(sandbox, sent);
		expect([name, code]).toEqual([name, wrong === undefined ? 0 : -2]);
	}
});

/* What is missing, out of range, of the wrong kind or without effect, by the table of refusals. */

it.each(REFUSALS.map((row) => [row.path, row.works, row] as const))(
	'%s?%s',
	async (...[, , row]) => {
		sandbox = await startShop();
		const { opsExpired } = sandbox.keys;
		// So that the longest renewal is possible, which is counted from now
		const inForce = sandbox.store.orders.filter(({ keys }) => keys !== opsExpired);
		const ask = async (key: KeyName, query: string) => {
			const parameters = Object.fromEntries(new URLSearchParams(query));
			for (const order of inForce) order.expiresAt = undefined;
			const { clock, hosts, keys } = sandbox;
			const path = `/api/${row.path}`;
			const reply = await call(hosts[row.host], path, keys[key], parameters, clock.now());
			const { code, workDone } = sandbox.log.last() ?? {};
			expect({ query, workDone }).toEqual({ query, workDone: code === 0 });
			if (code !== 0) {
				expect(codeOf(reply)).toBe(code);
				if (reply.text.startsWith('{')) expect(reply.json.data).toBe('');
			}
			return code;
		};
		const codes: Record<string, number | undefined> = {};
		const expected: Record<string, number> = {};
		const paid: Record<string, number> = {};
		const paying: Record<string, number> = {};
		const purchases = ['createorder', 'reneworder'].includes(row.path);
		for (const [code, texts] of Object.entries(row.codes)) {
			for (const { key = row.key, query } of texts.flatMap((text) => variations(row.works, text))) {
				const name = `${key} ${query}`;
				expected[name] = Number(code);
				const payments = sandbox.ledger.count();
				codes[name] = await ask(key, query);
				paid[name] = sandbox.ledger.count() - payments;
				paying[name] = purchases && codes[name] === 0 ? 1 : 0;
			}
		}
		expect(codes).toEqual(expected);
		expect(paid).toEqual(paying);
	},
);
