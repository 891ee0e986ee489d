import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Sandbox } from '../../sandbox/sandbox.mts';
import { ORDER_KEY } from '../credentials.mts';
import type { N8nServer, RestClient } from '../realN8n/index.mts';
import { type CheckGroup, expect } from './checks.mts';

interface Searched {
	readonly sandbox: Sandbox;
	readonly moreSandboxes?: readonly Sandbox[];
	readonly server: N8nServer;
	/** In queue mode. */
	readonly workers?: readonly N8nServer[];
	readonly n8n: RestClient;
	readonly userFolder: string;
	/** What it keeps elsewhere, by the name of the place. */
	readonly alsoKept?: ReadonlyMap<string, Buffer>;
}

/** Looks for every key and token in everything that n8n has printed and kept. */
export const noSecrets: CheckGroup<Searched> = {
	name: 'Search for secrets',
	async run(searched, check) {
		const { sandbox, moreSandboxes = [], server, workers = [], n8n, userFolder } = searched;
		const secrets = secretsOf([sandbox, ...moreSandboxes]);
		const log = Buffer.from(server.log());
		const workerLogs = workers.map((worker) => Buffer.from(worker.log()));
		const files = new Map([...(await readFilesOf(userFolder)), ...(searched.alsoKept ?? [])]);
		const runs = Buffer.from(JSON.stringify(await n8n.allRuns()));

		await check("No key and no token is in n8n's log", () => {
			expectKnown(log, 'Editor is now accessible', 'the log');
			expectNone(log, secrets, 'the log');
			for (const workerLog of workerLogs) {
				expectKnown(workerLog, 'n8n worker is now ready', 'the log of a worker');
				expectNone(workerLog, secrets, 'the log of a worker');
			}
		});
		await check("No key and no token is in n8n's database and other files", () => {
			expectKnown(Buffer.concat([...files.values()]), ORDER_KEY.name, 'the files');
			for (const [file, content] of files) expectNone(content, secrets, basename(file));
		});
		await check('No key and no token is in the saved runs', () => {
			expectKnown(runs, '"proxyUrl"', 'the saved runs');
			expectKnown(runs, '"orderid"', 'the saved runs');
			expectNone(runs, secrets, 'the saved runs');
		});
	},
};

export interface Secret {
	/** Says which one was found without repeating it. */
	readonly label: string;
	readonly value: string;
}

/** All keys and tokens there are, in every form in which they can hide. */
export function secretsOf(sandboxes: readonly Sandbox[]): Secret[] {
	const keys = sandboxes
		.flatMap(({ store }) => [...store.accounts, ...store.orders])
		.map(({ keys: { secretId, secretKey } }) => ({
			label: `the SecretKey that belongs to '${secretId}'`,
			value: secretKey,
		}));
	const tokens = sandboxes
		.flatMap(({ log }) => log.entries())
		.flatMap(({ parameters: { sign_type, signature, secret_token } }) =>
			sign_type === 'token' ? [signature, secret_token] : [secret_token],
		)
		.filter((value) => value !== undefined)
		.map((value) => ({ label: 'a token', value }));
	expect(tokens.length > 0, 'no request with a token was made, so none can be looked for');
	const different = new Map([...keys, ...tokens].map((secret) => [secret.value, secret]));
	return [...different.values()].flatMap(allForms);
}

/** A secret can hide in a web address or in an encoded text. */
function allForms({ label, value }: Secret): Secret[] {
	expect(value.length >= 8, `${label} is too short to be looked for`);
	const encoded = [encodeURIComponent(value), Buffer.from(value).toString('base64')];
	return [...new Set([value, ...encoded])].map((form) => ({ label, value: form }));
}

export function expectNone(content: Buffer, secrets: readonly Secret[], where: string): void {
	for (const { label, value } of secrets) {
		expect(!content.includes(value), `${where} contains ${label}`);
	}
}

/** A search that cannot find what is surely there proves nothing. */
export function expectKnown(content: Buffer, known: string, where: string): void {
	expect(content.includes(known), `${where} could not be searched: '${known}' is not found either`);
}

/** Everything n8n wrote, without the package that was put there. */
async function readFilesOf(userFolder: string): Promise<ReadonlyMap<string, Buffer>> {
	const files = new Map<string, Buffer>();
	const entries = await readdir(join(userFolder, '.n8n'), { recursive: true, withFileTypes: true });
	for (const entry of entries) {
		const file = join(entry.parentPath, entry.name);
		if (!entry.isFile() || file.includes('node_modules')) continue;
		files.set(file, await readFile(file));
	}
	return files;
}
