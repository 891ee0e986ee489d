import { demoCredentials } from '../harness/credentials.mts';
import { openN8n, type N8nServer, type RestClient } from '../harness/realN8n/index.mts';
import { startSandbox, type Sandbox } from '../sandbox/sandbox.mts';
import { onShutdown } from '../scripts/shutdown.mjs';
import {
	EXAMPLES,
	readExample,
	withAddresses,
	type Addresses,
	type ExampleName,
} from './examples.mts';
import { openMessageBox, type MessageBox } from './messageBox.mts';

export interface SessionOptions {
	/** Made anew, and removed at the end. */
	readonly userFolder: string;
	readonly port: number;
	readonly logLevel: 'info' | 'debug';
	say(line: string): void;
}

/** The sandbox and a real n8n that works with it: the package, credentials and examples are in it. */
export interface Session {
	readonly sandbox: Sandbox;
	/** Further stand-ins that checks work with, so that a fault in one of them does not reach the others. */
	readonly moreSandboxes: Sandbox[];
	readonly server: N8nServer;
	readonly n8n: RestClient;
	readonly userFolder: string;
	/** What the examples in this n8n were filled in with; the page answers with who asked it. */
	readonly addresses: Addresses;
	readonly messages: MessageBox;
	/** The ids of the example workflows in this n8n. */
	readonly exampleIds: ReadonlyMap<ExampleName, string>;
}

export async function openSession(options: SessionOptions): Promise<Session> {
	const { userFolder, say } = options;
	const sandbox = await startSandbox();
	onShutdown(() => sandbox.close());
	say('Started the sandbox, the local stand-in of the service.');

	const { server, n8n } = await openN8n({ ...options, credentials: demoCredentials(sandbox) });
	const messages = await openMessageBox();
	const addresses = { pageUrl: `${sandbox.controlUrl}/ip`, messageUrl: messages.url };
	const exampleIds = await importExamples(n8n, addresses);
	const moreSandboxes: Sandbox[] = [];
	return {
		sandbox,
		moreSandboxes,
		server,
		n8n,
		userFolder,
		addresses,
		messages,
		exampleIds,
	};
}

async function importExamples(
	n8n: RestClient,
	addresses: Addresses,
): Promise<ReadonlyMap<ExampleName, string>> {
	const ids = new Map<ExampleName, string>();
	for (const name of EXAMPLES) {
		const workflow = withAddresses(await readExample(name), addresses);
		ids.set(name, await n8n.createWorkflow(workflow));
	}
	return ids;
}
