/**
 * The output schemas that n8n shows of an operation before it has run: the fields of what comes out of the first case of
 * its row, in n8n's engine, with the node's own sources and the sandbox. They hold types, and no values.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { KuaidailiApi } from '../../credentials/KuaidailiApi.credentials.ts';
import { CredentialStore } from '../../harness/engine/credentialStore.mts';
import {
	mainTo,
	newWorkflow,
	nodeUnderTest,
	runManually,
	START,
	startNode,
	startType,
	UNDER_TEST,
} from '../../harness/engine/workflow.mts';
import { credentialData } from '../../harness/credentials.mts';
import { isRecord } from '../../harness/outsideData.mts';
import { Kuaidaili } from '../../nodes/Kuaidaili/Kuaidaili.node.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.mts';
import { seed } from '../seed.mts';
import { WAYS, type Way } from './index.mts';
import { parametersOf, worldOf } from './outcome.mts';
import type { Json } from './row.mts';

interface Schema {
	readonly type: string | readonly string[];
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly items?: Schema;
}

function typeOf(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
}

/** The schema that fits all values: each property that one of them has. What is null in some has the type of the others. */
function schemaOf(values: readonly unknown[]): Schema {
	const all = [...new Set(values.map(typeOf))];
	const types = all.length > 1 ? all.filter((type) => type !== 'null') : all;
	const records = values.filter(isRecord);
	const entries = values.filter((value) => Array.isArray(value)).flat();
	const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
	const valuesOf = (name: string) =>
		records.filter((record) => record[name] !== undefined).map((record) => record[name]);
	return {
		type: types.length === 1 ? types[0] : types,
		...(records.length > 0 && {
			properties: Object.fromEntries(names.map((name) => [name, schemaOf(valuesOf(name))])),
		}),
		...(entries.length > 0 && { items: schemaOf(entries) }),
	};
}

/** One way for each operation: its first case, with the key pair that leads to most. */
const PLAINEST: readonly Way[] = [...new Set(WAYS.map(({ operation }) => operation))].flatMap(
	(operation) => {
		const ways = WAYS.filter((way) => way.theCase === operation.cases[0]);
		return ways.find(({ by }) => by === 'account') ?? ways;
	},
);

/** The cases of pages open none: they are about the calls. */
function pageFields(url: string): Json {
	return { url, options: {} };
}

async function recordsOf(way: Way, sandbox: Sandbox, origin: string): Promise<readonly Json[]> {
	const world = worldOf(way, sandbox);
	const credentials = new CredentialStore({ kuaidailiApi: new KuaidailiApi() });
	const credentialId = credentials.add(credentialData(sandbox.hosts, world.keys, way.by));
	const { resource } = way.operation;
	const parameters = {
		...parametersOf(way, world),
		...(resource === 'page' && pageFields(`${origin}/article/1`)),
	};
	const workflow = newWorkflow({
		nodes: [startNode, nodeUnderTest({ parameters: parameters as IDataObject, credentialId })],
		connections: { [START]: mainTo(UNDER_TEST) },
		nodeTypes: { start: startType, kuaidaili: new Kuaidaili() },
	});
	const executionId = `${resource} ${way.operation.operation}`;
	const run = await runManually(workflow, { credentials, items: [{}], executionId });
	const [task] = run.data.resultData.runData[UNDER_TEST] ?? [];
	const records = (task?.data?.main[0] ?? []).map(({ json }) => json);
	if (records.length === 0) throw new Error(`${way.name}: ${task?.error?.message ?? 'no item'}`);
	return records;
}

const SCHEMAS_FOLDER = 'nodes/Kuaidaili/__schema__/v1.0.0';

/** The texts of the files by their paths in their folder, such as `order/create.json`. */
export async function outputSchemas(): Promise<ReadonlyMap<string, string>> {
	const sandbox = await startSandbox({ seed, catalogueSize: 300 });
	try {
		const { http } = await sandbox.pages.open();
		const files = PLAINEST.map(async (way): Promise<[string, string]> => {
			const { resource, operation } = way.operation;
			return [
				`${resource}/${operation}.json`,
				`${JSON.stringify(schemaOf(await recordsOf(way, sandbox, http)), undefined, '\t')}\n`,
			];
		});
		return new Map(await Promise.all(files));
	} finally {
		await sandbox.close();
	}
}

/** The files as they are in the repository. */
export async function savedSchemas(): Promise<ReadonlyMap<string, string>> {
	const found = await readdir(SCHEMAS_FOLDER, { recursive: true }).catch((): string[] => []);
	const names = found.filter((name) => name.endsWith('.json'));
	const read = async (name: string): Promise<[string, string]> => [
		name.replaceAll('\\', '/'),
		await readFile(join(SCHEMAS_FOLDER, name), 'utf8'),
	];
	return new Map(await Promise.all(names.map(read)));
}

/** In the folder of the repository. */
export async function writeSchemas(): Promise<void> {
	const schemas = await outputSchemas();
	await rm(SCHEMAS_FOLDER, { recursive: true, force: true });
	for (const [name, text] of schemas) {
		const file = join(SCHEMAS_FOLDER, name);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, text);
	}
}
