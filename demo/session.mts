import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from '../scripts/npm.mjs';
import { onShutdown } from '../scripts/shutdown.mjs';
import { startSandbox, type Sandbox } from '../sandbox/sandbox.mts';
import { demoCredentials } from './credentials.mts';
import {
	EXAMPLES,
	readExample,
	withAddresses,
	type Addresses,
	type ExampleName,
} from './examples.mts';
import { openMessageBox, type MessageBox } from './messageBox.mts';
import { DEMO_OWNER } from './owner.mts';
import {
	CURRENT_N8N,
	freePort,
	packIntoN8n,
	provideN8n,
	RestClient,
	runN8nCommand,
	startServer,
	writePrivateJson,
	type N8nPlace,
	type N8nProgram,
	type N8nServer,
} from './realN8n/index.mts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

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
	const program = await provideN8n(CURRENT_N8N, say);
	say(`Using ${program.origin}.`);
	await makeUserFolder(userFolder);

	say('Building and packing the node.');
	await runNpm(['run', 'build'], { cwd: ROOT, what: 'building the node', say });
	const installed = await packIntoN8n(ROOT, userFolder, say);
	say(`Put ${installed.name} ${installed.version} into n8n.`);

	const sandbox = await startSandbox();
	onShutdown(() => sandbox.close());
	say('Started the sandbox, the local stand-in of the service.');

	const place = await choosePlace(options);
	await importCredentials(program, place, sandbox);
	const server = await startServer(program, place);
	const n8n = new RestClient(server.url);
	await n8n.setUpOwner(DEMO_OWNER);
	const messages = await openMessageBox();
	const addresses = { pageUrl: `${sandbox.controlUrl}/ip`, messageUrl: messages.url };
	const exampleIds = await importExamples(n8n, addresses);
	say(`Started n8n at ${server.url}.`);
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

async function makeUserFolder(folder: string): Promise<void> {
	const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
	await remove();
	onShutdown(remove);
	await mkdir(folder, { recursive: true });
}

async function choosePlace({ userFolder, port, logLevel }: SessionOptions): Promise<N8nPlace> {
	return {
		userFolder,
		port,
		logLevel,
		brokerPort: await freePort(),
		encryptionKey: randomBytes(24).toString('hex'),
	};
}

/** By n8n's own command, because only that keeps the ids which the examples refer to. */
async function importCredentials(
	program: N8nProgram,
	place: N8nPlace,
	sandbox: Sandbox,
): Promise<void> {
	const file = join(place.userFolder, 'credentials.json');
	await writePrivateJson(file, demoCredentials(sandbox));
	await runN8nCommand(program, place, ['import:credentials', `--input=${file}`]);
	await rm(file);
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
