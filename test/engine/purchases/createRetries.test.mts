import { credentialData } from '../../../harness/credentials.mts';
import type { Account } from '../../../sandbox/sandbox.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { NEW_TUNNEL } from '../support/newTunnel.mts';
import { RETRY } from '../support/nodeSettings.mts';
import { until } from '../support/until.mts';
import {
	buy,
	credentialFor,
	engine,
	items,
	newRichAccount,
	paidBy,
	sandbox,
} from './purchaseBed.mts';

describe('Order: Create', () => {
	/** The service refuses what comes after so many purchases. */
	async function refusedAfter(account: Account, count: number, code: number): Promise<void> {
		await until(() => paidBy(account) === count);
		sandbox.faults.add({ kind: 'code', code, path: '/api/createorder', times: 1 });
	}

	it('asks again for what was refused, when n8n runs the node again', async () => {
		sandbox.faults.add({ kind: 'code', code: -61, path: '/api/createorder', times: 1 });
		const { result, orders, payments } = await buy(newRichAccount(), { settings: RETRY });
		expect(orders).toHaveLength(2);
		expect(payments).toHaveLength(1);
		expect(result.items.map(({ json }) => json.orderid)).toEqual([payments[0].orderId]);
	});

	it('asks once per try only for what is refused', async () => {
		sandbox.faults.add({ kind: 'code', code: -61, path: '/api/createorder' });
		const { result, orders } = await buy(newRichAccount(), { settings: RETRY });
		expect(orders).toHaveLength(3);
		expect(result.error?.message).toBe('No IPs are available for this order [item 0]');
	});

	it('gives what was bought even if its values have become wrong on the retry', async () => {
		const wrongFrom = Date.now() + 1500;
		const account = newRichAccount();
		void refusedAfter(account, 1, -4);
		const { result, payments } = await buy(account, {
			items: [{ n: 0 }, { n: 1 }],
			parameters: {
				...NEW_TUNNEL,
				prepayTimeType: `={{ $now.toMillis() > ${wrongFrom} ? 'GONE' : 'DAY' }}`,
			},
			settings: { ...RETRY, maxTries: 2, waitBetweenTries: 3000 },
		});
		expect(payments).toHaveLength(1);
		expect(result.error?.context?.itemIndex).toBe(1);
		expect(result.error?.description).toContain(payments[0].orderId);
	});

	it('says which key is needed before any request, for a credential of the other kind', async () => {
		const { keys } = newRichAccount();
		const result = await engine.run({
			credentialId: credentialFor(keys, 'order'),
			parameters: NEW_TUNNEL,
		});
		expect(
			sandbox.log.entries().some(({ parameters }) => parameters.secret_id === keys.secretId),
		).toBe(false);
		expect(result.error?.message).toContain("needs the account's key pair");
		expect(result.error?.description).toContain('API key management page');
	});

	it.each([-3, -123])(
		'gives the same advice when the service finds the key wrong (%i)',
		async (code) => {
			sandbox.faults.add({ kind: 'code', code, path: '/api/createorder', times: 1 });
			const { result } = await buy(newRichAccount());
			expect(result.error?.description).toContain(
				"Use a credential with the account's key pair, and set its 'Key Type' to 'Account'.",
			);
		},
	);

	it.each([
		['refused', 'http://127.0.0.1:1', '127.0.0.1:1 refused the connection'],
		// The system refuses to connect to a broadcast address
		['impossible', 'https://255.255.255.255', 'No connection to 255.255.255.255 could be made'],
	])(
		'connects again when the connection was %s, three times at most',
		async (_how, baseUrl, told) => {
			const { keys } = newRichAccount();
			const started = performance.now();
			const result = await engine.run({
				credentialId: engine.addCredential(
					credentialData({ ...sandbox.hosts, baseUrl }, keys, 'account'),
				),
				parameters: NEW_TUNNEL,
			});
			expect(performance.now() - started).toBeGreaterThan(5900);
			expect(result.error?.message).toContain(told);
			expect(result.error?.message).not.toContain('may have been');
		},
	);

	it('sends nothing more after a cancellation while items wait for the pace', async () => {
		const account = newRichAccount();
		// The answer has to be back; the second item then waits most of a second for its turn
		const firstAnswered = until(() => paidBy(account) === 1).then(
			async () => await new Promise((resolve) => setTimeout(resolve, 400)),
		);
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const { payments, orders } = await buy(account, {
			items: items(3),
			cancelWhen: firstAnswered,
		});
		await new Promise((resolve) => setTimeout(resolve, 2500));
		const logged = log.mock.calls.map(([text]) => text).join('');
		log.mockRestore();
		expect(logged).toContain(`Bought and paid for in this run: order ${payments[0].orderId}`);
		expect(payments).toHaveLength(1);
		expect(orders).toHaveLength(1);
		expect(paidBy(account)).toBe(1);
	});

	it('remembers a purchase that was on its way at a cancellation as unclear', async () => {
		const account = newRichAccount();
		sandbox.faults.add({ kind: 'hang', when: 'after', path: '/api/createorder', times: 1 });
		const paid = until(() => paidBy(account) === 1);
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const { result } = await buy(account, { items: items(2), cancelWhen: paid });
		await new Promise((resolve) => setTimeout(resolve, 1500));
		const logged = log.mock.calls.map(([text]) => text).join('');
		log.mockRestore();
		expect(paidBy(account)).toBe(1);
		// n8n saves nothing of a cancelled node, so the log has to tell it
		expect(logged).toContain('The order may have been placed: The execution was canceled');
		expect(result.saved).toContain('The order may have been placed: The execution was stopped');
		expect(result.status).toBe('canceled');
	});
});
