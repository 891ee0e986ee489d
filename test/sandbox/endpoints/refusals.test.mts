import { startShop } from '../ordering.mts';
import { REFUSALS, variations } from './refusals.mts';
import { askAs, codeOf, type KeyName } from '../extracting.mts';

/* What is missing, out of range, of the wrong kind or without effect, by the table of refusals. */

it.each(REFUSALS.map((row) => [row.path, row.works, row] as const))(
	'%s?%s',
	async (...[, , row]) => {
		const sandbox = await startShop();
		sandbox.settings.longestTerm = { unit: 'YEAR', number: 900 };
		const at = { sandbox, host: row.host ?? 'baseUrl', path: `/api/${row.path}` } as const;
		const ask = async (key: KeyName, query: string) => {
			const parameters = Object.fromEntries(new URLSearchParams(query));
			const reply = await askAs(sandbox.keys[key], at, parameters);
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

		for (const text of row.ignorable ?? []) {
			for (const { key = row.key, query } of variations(row.works, text)) {
				sandbox.settings.inapplicableParameters = 'refuse';
				expect([query, await ask(key, query)]).toEqual([query, row.withoutEffect]);
				sandbox.settings.inapplicableParameters = 'ignore';
				expect([query, await ask(key, query)]).toEqual([query, 0]);
			}
		}
		await sandbox.close();
	},
);
