import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { HOSTS } from '../nodes/shared/service/hosts.ts';
import { HOST_NAMES } from '../sandbox/http/call.mts';
import { table } from '../sandbox/control/timeline.mts';
import type { Sandbox } from '../sandbox/sandbox.mts';
import type { CredentialToTest, NewCredential } from './realN8n/index.mts';

const TYPE = 'kuaidailiApi';

/** The examples refer to these two, so their ids and names are fixed. */
export const ORDER_KEY = { id: 'kdlSandboxVipKey', name: 'Kuaidaili order key (sandbox)' };
export const ACCOUNT_KEY = { id: 'kdlSandboxAccKey', name: 'Kuaidaili account key (sandbox)' };
export const ORDER_TOKEN = { id: 'kdlSandboxVipTok', name: 'Kuaidaili order token (sandbox)' };

type Hosts = Sandbox['hosts'];
type KeyPair = Sandbox['keys']['opsVip'];

/** The credentials that the demo puts into n8n. */
export function demoCredentials({ hosts, keys }: Sandbox): CredentialToTest[] {
	return [
		{ ...ORDER_KEY, type: TYPE, data: credentialData(hosts, keys.opsVip, 'order', 'hmacsha1') },
		{ ...ORDER_TOKEN, type: TYPE, data: credentialData(hosts, keys.opsVip, 'order', 'token') },
		{
			...ACCOUNT_KEY,
			type: TYPE,
			data: credentialData(hosts, keys.account, 'account', 'hmacsha1'),
		},
	];
}

/** What a person would fill in to use the sandbox in place of the service. */
export function credentialData(
	hosts: Hosts,
	{ secretId, secretKey }: KeyPair,
	keyType: 'account' | 'order',
	signType: 'hmacsha1' | 'token' = 'hmacsha1',
): ICredentialDataDecryptedObject {
	return {
		keyType,
		secretId,
		secretKey,
		signType,
		customHosts: true,
		...hosts,
	};
}

/** The same by the labels of the credential, for somebody who makes one by hand. */
export function credentialInWords({
	hosts,
	keys: { account, dps },
}: Pick<Sandbox, 'hosts' | 'keys'>) {
	const rows = Object.entries(HOSTS).map(([name, { displayName }]) => [
		displayName,
		hosts[name as keyof Hosts],
	]);
	return table([
		['Key Type', 'Account'],
		['Secret ID', account.secretId],
		['Secret Key', account.secretKey],
		['Key Type', 'Order'],
		['Secret ID', dps.secretId],
		['Secret Key', dps.secretKey],
		['Custom Hosts', 'on'],
		...rows,
	]);
}

/** One server in place of all hosts of the service. */
export function everyHost(origin: string): Hosts {
	return Object.fromEntries(HOST_NAMES.map((name) => [`${name}Url`, origin])) as Hosts;
}

/** For the `credentials` field of a node. */
export function useCredential(credential: { id: string; name: string }): Record<string, unknown> {
	return { [TYPE]: { id: credential.id, name: credential.name } };
}

export function newCredential(name: string, data: Record<string, unknown>): NewCredential {
	return { name, type: TYPE, data };
}
