import { credentialData } from '../../harness/credentials.mts';
import type { CredentialToTest } from '../../harness/realN8n/index.mts';
import type { Sandbox } from '../../sandbox/sandbox.mts';

/** Each key pair that is in the sandbox from the start. */
export type KeyName = keyof Sandbox['keys'];

/** The credential in n8n that holds the key pair. */
export function credentialOf(key: KeyName): { id: string; name: string } {
	return { id: `kdlE2e${key}`, name: `Key pair '${key}' (sandbox)` };
}

export function credentialsOfAllKeys({ hosts, keys }: Sandbox): CredentialToTest[] {
	const { account, ...orders } = keys;
	return [
		{
			...credentialOf('account'),
			type: 'kuaidailiApi',
			data: credentialData(hosts, account, 'account', 'hmacsha1'),
		},
		...Object.keys(orders)
			.filter((name): name is keyof typeof orders => name in orders)
			.map((name) => ({
				...credentialOf(name),
				type: 'kuaidailiApi',
				data: credentialData(hosts, orders[name], 'order', 'hmacsha1'),
			})),
	];
}
