import { credentialData, credentialToTest } from '../../harness/credentials.mts';
import { excerpt } from '../../harness/outsideData.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../harness/checks/expectations.mts';
import type { Session } from '../session.mts';

const WRONG_KEY = 'not-the-key-of-this-order';

/** What the button 'Test' in the credential's window says. */
export const credentialTest: CheckGroup<Session> = {
	name: 'Credential test',
	async run({ n8n, sandbox }, check) {
		const { hosts, keys } = sandbox;
		const test = async (data: Record<string, unknown>) =>
			await n8n.testCredential(credentialToTest('Tried', data));

		for (const signType of ['hmacsha1', 'token'] as const) {
			await check(`The credential test accepts the right key (${signType})`, async () => {
				const { status, message } = await test(
					credentialData(hosts, keys.opsVip, 'order', signType),
				);
				expectEqual(status, 'OK', `the status (${excerpt(message)})`);
			});
			await check(
				`The credential test refuses a wrong key and says why (${signType})`,
				async () => {
					const wrong = { secretId: keys.opsVip.secretId, secretKey: WRONG_KEY };
					const { status, message } = await test(credentialData(hosts, wrong, 'order', signType));
					expectEqual(status, 'Error', `the status (${excerpt(message)})`);
					expect(message.length > 0, 'there is no reason in the answer');
					expect(!message.includes(WRONG_KEY), 'the answer shows the key');
				},
			);
		}
	},
};
