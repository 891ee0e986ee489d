import { demoCredentials } from '../harness/credentials.mts';
import {
	openN8n,
	openSandbox,
	type N8nSession,
	type RestClient,
} from '../harness/realN8n/index.mts';
import type { Sandbox } from '../sandbox/sandbox.mts';
import { EXAMPLES, readExample, withInputs, type ExampleName, type Inputs } from './examples.mts';
import { openMessageBox, type MessageBox } from './messageBox.mts';
import { MODEL_CREDENTIAL, modelCredential, openStandInModel } from './standInModel.mts';

export interface SessionOptions {
	/** Made anew, and removed at the end. */
	readonly userFolder: string;
	readonly port: number;
	readonly logLevel: 'info' | 'debug';
	/** Further environment variables of n8n. */
	readonly settings?: Readonly<Record<string, string>>;
	/** Whether the examples that renew only tell what they would do; false by default. */
	readonly dryRun?: boolean;
	say(line: string): void;
}

/** The sandbox and a real n8n that works with it: the package, credentials and examples are in it. */
export interface Session extends N8nSession {
	/** Further stand-ins that checks work with, so that a fault in one of them does not reach the others. */
	readonly moreSandboxes: Sandbox[];
	/** What the examples in this n8n were filled in with; the page answers with its visitor's address. */
	readonly inputs: Inputs;
	readonly messages: MessageBox;
	/** The ids of the example workflows in this n8n. */
	readonly exampleIds: ReadonlyMap<ExampleName, string>;
}

/** The data table for the rows of the example that scrapes pages, and for those of the README's first steps. */
export const ROWS_TABLE = 'Products';

const ROWS_COLUMNS = {
	name: 'string',
	h1: 'string',
	price: 'number',
	url: 'string',
	pageStatus: 'string',
	row: 'number',
	pageNumber: 'number',
} as const;

export async function openSession(options: SessionOptions): Promise<Session> {
	const { userFolder, say } = options;
	const sandbox = await openSandbox();
	say('Started the sandbox, which simulates Kuaidaili.');

	const model = modelCredential(await openStandInModel());
	const credentials = [...demoCredentials(sandbox), model];
	const { server, n8n } = await openN8n({ ...options, credentials });
	const messages = await openMessageBox();
	const { http: siteUrl } = await sandbox.pages.open();
	const inputs = {
		pageUrl: `${siteUrl}/ip`,
		siteUrl,
		messageUrl: messages.url,
		dryRun: options.dryRun ?? false,
		model: MODEL_CREDENTIAL,
		privateProxyOrder: numberOf(sandbox, 'dps'),
		tunnelOrder: numberOf(sandbox, 'tps'),
	};
	const exampleIds = await importExamples(n8n, inputs);
	await n8n.createDataTable(ROWS_TABLE, ROWS_COLUMNS);
	const moreSandboxes: Sandbox[] = [];
	return {
		sandbox,
		moreSandboxes,
		server,
		n8n,
		userFolder,
		inputs,
		messages,
		exampleIds,
	};
}

function numberOf({ store, keys }: Sandbox, key: keyof Sandbox['keys']): string {
	return store.order(keys[key].secretId).orderId;
}

async function importExamples(
	n8n: RestClient,
	inputs: Inputs,
): Promise<ReadonlyMap<ExampleName, string>> {
	const ids = new Map<ExampleName, string>();
	for (const name of EXAMPLES) {
		const workflow = withInputs(await readExample(name), inputs);
		ids.set(name, await n8n.createWorkflow(workflow));
	}
	return ids;
}
