import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { credentialData, newCredential } from '../../../harness/credentials.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import { newAccount, newPrivateProxyOrder } from '../../../sandbox/sandbox.mts';
import { EXTRACT_REUSED, REUSED_PROXIES } from '../operations.mts';
import type { QueueSession } from '../session.mts';
import { serve, type RunAnswer } from '../webhook.mts';
import { startedBy } from '../workerLog.mts';

const EXECUTIONS = 100;
const AT_A_TIME = 10;
const GET_DPS = '/api/getdps';

/** A private proxy order that is paid per IP, and its key pair in n8n. */
async function newOrderOfPrivateProxies({ sandbox, n8n }: QueueSession) {
	const { store, clock, hosts } = sandbox;
	const name = 'queue-reuse';
	const account = store.addAccount(newAccount(name));
	const order = store.addOrder(
		newPrivateProxyOrder(`${name}-order`, account, clock.now(), {
			payType: 'PRE_PAY_IP',
			// No proxy runs out while the executions run
			period: 'M_30_60',
		}),
	);
	// With tokens, of which each worker fetches its own
	const data = credentialData(hosts, order.keys, 'order', 'token');
	const id = await n8n.createCredential(newCredential(name, data));
	return { order, credential: { id, name } };
}

/** Executions on two workers that share nothing but the order, with 'Reuse Proxies'. */
export const reuse: CheckGroup<QueueSession> = {
	name: 'Reused proxies',
	async run(session, check) {
		const { sandbox, workers } = session;
		const { order, credential } = await newOrderOfPrivateProxies(session);
		const webhook = await serve(session, 'reused proxies', EXTRACT_REUSED, credential);
		const startedBefore = workers.map((worker) => startedBy(worker).length);
		const callsBefore = sandbox.log.count(GET_DPS);

		const answers: RunAnswer[] = [];
		let left = EXECUTIONS;
		const work = async () => {
			while (left-- > 0) answers.push(await webhook.call());
		};
		await Promise.all(Array.from({ length: AT_A_TIME }, work));
		const tookPart = workers.map(
			(worker, index) => startedBy(worker).length - (startedBefore[index] ?? 0),
		);

		await check(`${answers.length} executions with reuse end without an error`, () => {
			expectEqual(answers.length, EXECUTIONS, 'the number of answers');
			const failed = answers.filter(({ status }) => status !== 200);
			expect(failed.length === 0, `${failed.length} failed: ${excerpt(failed)}`);
			for (const { items } of answers) {
				const used = new Set(items.map((item) => at(item, 'address')));
				expectEqual(used.size, REUSED_PROXIES, 'the number of different proxies');
			}
		});
		await check(`Both workers take part, with ${tookPart.join(' and ')} executions`, () => {
			const active = tookPart.filter((count) => count > 0).length;
			expectEqual(active, 2, 'the number of workers that took part');
		});
		const used = sandbox.extractions.total({ orderId: order.orderId });
		const calls = sandbox.log.count(GET_DPS) - callsBefore;
		await check(
			`They use up ${used} proxies in ${calls} calls, what one worker needs twice`,
			() => {
				expect(used >= REUSED_PROXIES, 'nothing was extracted');
				expect(used <= 2 * REUSED_PROXIES, `${used} were used up`);
				expect(calls <= 2, `${calls} calls were made`);
			},
		);
	},
};
