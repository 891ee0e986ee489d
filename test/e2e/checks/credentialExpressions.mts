import { type CheckGroup, expectEqual } from '../../../harness/checks/checks.mts';
import { credentialData, newCredential, useCredential } from '../../../harness/credentials.mts';
import { at } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { kuaidaili, runTrial } from '../../../harness/realN8n/workflows.mts';
import type { E2eSession } from '../session.mts';
import { EXPIRY_PATH, httpRequest } from './signTypes.mts';

/** One after the other, at the pace of the service. */
const PACED = { batching: { batch: { batchSize: 1, batchInterval: 300 } } };
const FIELDS = ['secretId', 'secretKey', 'secretToken'];

/** Takes one of the texts, by the number of the item. */
function byItem(...texts: string[]): string {
	return `={{ ${JSON.stringify(texts)}[$json.n] }}`;
}

/**
 * A credential in token mode whose key pair is an expression. Given a token to store, older releases
 * store all fields of the credential as they are for one item.
 */
export const credentialExpressions: CheckGroup<E2eSession> = {
	name: 'Expressions in a credential',
	async run({ n8n, sandbox: { hosts, keys, log } }, check) {
		const pairs = [keys.opsVip, keys.opsSvip];
		const senders = (path: string, count: number) =>
			log
				.entries(path)
				.slice(-count)
				.map(({ parameters }) => parameters.secret_id);

		const getOrder = kuaidaili({ resource: 'order', operation: 'get' }, { id: '', name: '' });
		for (const [node, path] of [
			[getOrder, '/api/getorderinfo'],
			[httpRequest(hosts.baseUrl, undefined, { options: PACED }), EXPIRY_PATH],
		] as const) {
			await check(`${node.name} uses each item's own key pair, and n8n stores none`, async () => {
				const expressions = {
					secretId: byItem(...pairs.map(({ secretId }) => secretId)),
					secretKey: byItem(...pairs.map(({ secretKey }) => secretKey)),
				};
				const data = credentialData(hosts, expressions, 'order', 'token');
				const name = `Key pair by item (${node.name})`;
				const id = await n8n.createCredential(newCredential(name, data));
				const before = await n8n.credentialFields(id);
				const run = await runTrial(
					n8n,
					{ ...node, credentials: useCredential({ id, name }) },
					{ itemCount: pairs.length },
				);
				expectEqual(itemsOf(run, node.name).length, pairs.length, 'the number of items');
				expectEqual(
					senders(path, pairs.length).sort().join(),
					pairs
						.map(({ secretId }) => secretId)
						.sort()
						.join(),
					'the key pairs that were used',
				);
				const after = await n8n.credentialFields(id);
				expectEqual(at(before, 'secretId'), expressions.secretId, "'secretId' before the run");
				for (const field of FIELDS) {
					expectEqual(at(after, field), at(before, field), `'${field}' as n8n keeps it`);
				}
			});
		}
	},
};
