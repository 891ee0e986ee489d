import { KuaidailiApi } from '../../../credentials/KuaidailiApi.credentials.ts';
import { credentialInWords } from '../../../harness/credentials.mts';
import { startSandbox } from '../../../sandbox/sandbox.mts';

it('what somebody enters to make a credential for the sandbox is all that the credential asks for', async () => {
	const sandbox = await startSandbox();
	const text = credentialInWords(sandbox);
	await sandbox.close();
	const asked = new KuaidailiApi().properties.filter(
		({ type, name }) => type !== 'hidden' && name !== 'signType',
	);
	const missing = asked.filter(({ displayName }) => !text.includes(displayName));
	expect(missing).toEqual([]);
	for (const { secretId, secretKey } of [sandbox.keys.account, sandbox.keys.dps]) {
		expect(text).toContain(secretId);
		expect(text).toContain(secretKey);
	}
	for (const host of Object.values(sandbox.hosts)) expect(text).toContain(host);
});
