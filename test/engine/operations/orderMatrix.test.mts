import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import { newAccount, type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { shareOf } from '../../fullMatrices.mts';
import { ownParameters } from '../../operations/world.mts';
import { API } from '../support/api.mts';
import { Engine } from '../support/engine.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { completed, ORDER_CASES } from '../../operations/orderCases.mts';

let sandbox: Sandbox;
const engine = new Engine();
let lastAccount = 0;

beforeAll(async () => {
	sandbox = await startSandbox({
		seed: 1,
		catalogueSize: 1,
		forwardProxies: false,
		rateLimits: false,
	});
});
afterAll(async () => await sandbox.close());

/** An account of its own for each case, so that cases do not wait for each other's pace. */
async function order(fields: IDataObject, viaExpressions: boolean) {
	const { keys } = sandbox.store.addAccount(
		newAccount(`matrix-${++lastAccount}`, { balanceInFen: Number.MAX_SAFE_INTEGER }),
	);
	const { options = {}, ...others } = fields;
	// Expressions pass every limit of the editor by, and the display rules as well
	const all = completed(others);
	const asExpressions = Object.fromEntries(
		Object.keys(all).map((name) => [name, `={{ $json.${name} }}`]),
	);
	// Shortly before the end of a window of signatures, the state is read once more in the next one
	await untilWindowAge(1000);
	const result = await engine.run({
		credentialId: engine.addCredential(credentialData(sandbox.hosts, keys, 'account')),
		items: [all],
		parameters: {
			resource: 'order',
			operation: 'create',
			...(viaExpressions ? asExpressions : others),
			options,
		},
	});
	const requests = sandbox.log
		.entries()
		.filter(({ parameters }) => parameters.secret_id === keys.secretId);
	const payments = sandbox.ledger.entries().filter(({ secretId }) => secretId === keys.secretId);
	return { result, requests, payments };
}

const WRONG = ORDER_CASES.flatMap(({ name, fields, wrong }) =>
	wrong === undefined ? [] : [[name, wrong, fields] as const],
);
const RIGHT = ORDER_CASES.flatMap(({ name, fields, wrong, sent }) =>
	sent === undefined || wrong !== undefined ? [] : [[name, fields, sent] as const],
);

// Each case in one of both ways; "npm run fuzz" tries it in both
describe.each([
	['as typed in the editor', false],
	['from expressions', true],
])('an order %s', (_way, viaExpressions) => {
	it.each(shareOf(WRONG, 2, Number(viaExpressions)))(
		'refuses %s before any request, and names %s',
		async (_name, label, fields) => {
			const { result, requests } = await order(fields, viaExpressions);
			expect(requests).toEqual([]);
			expect(result.error?.message).toMatch(new RegExp(`'${label}' (?:is empty|can't be )`));
			expect(result.error?.message).not.toContain('[item');
			expect(result.error?.description).toMatch(/^Allowed: .+\.$/);
		},
	);

	it.each(shareOf(RIGHT, 2, Number(viaExpressions)))(
		'sends %s as Kuaidaili wants it, once',
		async (_name, fields, sent) => {
			const { result, requests, payments } = await order(fields, viaExpressions);
			expect(result.error).toBeUndefined();
			// What there was before is asked for once, and once when the new order ends
			const paths = requests.map(({ path }) => path);
			expect(paths.filter((path) => path !== API.getaccountbalance)).toEqual([
				...(fields.kpsCity === undefined ? [] : ['/api/querykpscity']),
				'/api/getaccountorders',
				'/api/createorder',
				'/api/getaccountorders',
			]);
			// For the report of what it cost
			expect(paths.filter((path) => path === API.getaccountbalance)).toHaveLength(2);
			const [sending] = requests.filter(({ path }) => path === '/api/createorder');
			expect(ownParameters(sending)).toEqual(sent);
			expect(payments).toHaveLength(1);
			expect(result.items).toHaveLength(1);
			expect(result.items[0].json).toMatchObject({
				orderid: payments[0].orderId,
				product: sent.product,
				pay_type: sent.pay_type,
			});
		},
	);
});
