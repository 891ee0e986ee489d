import { onShutdown } from '../../scripts/shutdown.mjs';
import { RestClient, type CredentialToTest } from './restClient.mts';

/** An n8n that somebody else started, such as a container of n8n 3, and its owner's login. */
export interface RunningN8n {
	readonly url: string;
	readonly email: string;
	readonly password: string;
}

/**
 * The address on the command line, and the login from N8N_EMAIL and N8N_PASSWORD.
 *
 * @throws Error with what is missing
 */
export function readRunningN8n(url: string): RunningN8n {
	if (!URL.canParse(url)) throw new Error(`--n8n-url is not a web address: ${url}`);
	const { N8N_EMAIL: email, N8N_PASSWORD: password } = process.env;
	if (!email || !password) {
		throw new Error("Set N8N_EMAIL and N8N_PASSWORD to the login of that n8n's owner.");
	}
	return { url: new URL(url).origin, email, password };
}

/**
 * Signs in, and saves the credentials there. It has to have the package, and to reach this machine's loopback, where
 * the sandbox is (a container: `--network host`). What is made there is deleted at the end.
 */
export async function signInTo(
	{ url, email, password }: RunningN8n,
	credentials: readonly CredentialToTest[],
): Promise<RestClient> {
	const n8n = new RestClient(url);
	await n8n.signIn(email, password);
	onShutdown(async () => await n8n.deleteWhatWasMade());
	for (const { id, ...credential } of credentials) {
		// n8n keeps the ids of imported credentials only
		n8n.callIt(id, await n8n.createCredential(credential));
	}
	return n8n;
}
