import { credentialData, newCredential } from '../../harness/credentials.mts';
import { at, excerpt, isRecord } from '../../harness/outsideData.mts';
import type { World } from '../operations/world.mts';
import type { E2eSession } from './session.mts';

/** Saves the key pair of somebody, as they would. */
export async function saveCredential(
	{ n8n, sandbox }: E2eSession,
	{ keys, by }: World,
): Promise<{ id: string; name: string }> {
	const name = `Key pair '${keys.secretId}' (sandbox)`;
	const data = credentialData(sandbox.hosts, keys, by, 'hmacsha1');
	const id = await n8n.createCredential(newCredential(name, data));
	return { id, name };
}

/** What a node put out, without n8n's wrapping. */
export function recordsIn(items: readonly unknown[]): Array<Record<string, unknown>> {
	return items.map((item) => {
		const json = at(item, 'json');
		if (!isRecord(json)) throw new Error(`an item has no json: ${excerpt(item)}`);
		return json;
	});
}
