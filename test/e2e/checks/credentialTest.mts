import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { credentialData, newCredential } from '../../../harness/credentials.mts';
import { excerpt } from '../../../harness/outsideData.mts';
import type { E2eSession } from '../session.mts';

const WRONG_KEY = 'not-the-key-that-belongs-to-it';

interface Try {
	readonly what: string;
	readonly data: Readonly<Record<string, unknown>>;
	readonly status: 'OK' | 'Error';
	/** What the person reads. */
	readonly says: RegExp;
}

/** What the button 'Test' in the credential's window says. */
export const credentialTest: CheckGroup<E2eSession> = {
	name: 'Credential test',
	async run({ n8n, sandbox: { hosts, keys } }, check) {
		const wrong = (secretId: string) => ({ secretId, secretKey: WRONG_KEY });
		const account = credentialData(hosts, keys.account, 'account', 'hmacsha1');
		const nobody = 'http://127.0.0.1:1';
		const tries: Try[] = [
			accepted("the account's key pair", account),
			accepted("an order's key pair", credentialData(hosts, keys.opsVip, 'order', 'hmacsha1')),
			accepted(
				"an order's key pair in token mode",
				credentialData(hosts, keys.opsVip, 'order', 'token'),
			),
			refused(
				'a wrong SecretKey',
				credentialData(hosts, wrong(keys.account.secretId), 'account', 'hmacsha1'),
				/Secret Key/,
			),
			refused(
				"an order's key pair as the account's",
				credentialData(hosts, keys.opsVip, 'account', 'hmacsha1'),
				/'Key Type' to 'Order' for an order's key pair/,
			),
			refused('a host that nobody listens on', { ...account, baseUrl: nobody }, /ECONNREFUSED/),
			refused('a host without https', { ...account, baseUrl: 'http://example.com' }, /https/),
		];
		for (const { what, data, status, says } of tries) {
			await check(
				`The credential test ${status === 'OK' ? 'accepts' : 'refuses'} ${what}`,
				async () => {
					const credential = newCredential(`Tried: ${what}`, data);
					// The editor saves before it tests
					const id = await n8n.createCredential(credential);
					const answer = await n8n.testCredential({ ...credential, id });
					expectEqual(answer.status, status, `the status (${excerpt(answer.message)})`);
					expect(says.test(answer.message), `it says ${excerpt(answer.message)}`);
					expect(!answer.message.includes(WRONG_KEY), 'it shows the SecretKey');
				},
			);
		}
	},
};

function accepted(what: string, data: Try['data']): Try {
	return { what, data, status: 'OK', says: /Connection successful/ };
}

function refused(what: string, data: Try['data'], says: RegExp): Try {
	return { what, data, status: 'Error', says };
}
