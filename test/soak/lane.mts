import { at, excerpt, isRecord, readString } from '../../harness/outsideData.mts';
import { kuaidaili, serveWebhook } from '../../harness/realN8n/workflows.mts';
import type { KeyName, OrderName } from './keys.mts';
import { credentialOf, type SoakSession } from './session.mts';

export type Output = ReadonlyArray<Record<string, unknown>>;

/** Starts a workflow once with these items. @returns what the Kuaidaili node put out */
type StartWorkflow = (items: readonly unknown[]) => Promise<Output>;

/** What came of going through a lane once. */
export interface LaneResult {
	/** How many items came out as they should. */
	readonly items: number;
	/** How many proxies the order was charged for. */
	readonly extracted?: number;
	/** The numbers of the orders that were bought, and renewed once. */
	readonly created?: readonly string[];
}

/** One kind of work that goes on for the whole time. */
export interface Lane {
	readonly name: string;
	/** Whose proxies are counted, if any are; no other lane extracts from that order. */
	readonly quotaOf: OrderName | undefined;
	/** How many more may be charged for than come out, as a share: they wait for the next run, and end. */
	readonly mostSpareShare: number;
	/** What a lane waits between two runs; the pace is kept by the node. */
	readonly pauseMs: number;
	/** Once through. */
	readonly run: () => Promise<LaneResult>;
	/** What came of all runs, which grows. */
	readonly total: { items: number; extracted: number; created: string[] };
	readonly failures: string[];
}

export type OpenLane = (session: SoakSession) => Promise<Lane>;

/** The parameters of the node in a workflow, and whose key pair it works with. */
export type LaneNode = readonly [KeyName, Readonly<Record<string, unknown>>];

/** Takes what the first workflow put out, and starts the others. */
type Rest = (
	output: Output,
	...others: readonly StartWorkflow[]
) => LaneResult | Promise<LaneResult>;

interface LanePlan {
	readonly name: string;
	readonly nodes: readonly [LaneNode, ...LaneNode[]];
	/** What the first workflow is started with. */
	readonly items: readonly unknown[];
	readonly rest: Rest;
	readonly quotaOf?: OrderName;
	readonly mostSpareShare?: number;
	readonly pauseMs?: number;
}

/** So that all lanes together leave the machine some time. */
const PAUSE_MS = 1000;

/** Makes a workflow in which the items of a call go through the node. */
async function serve(
	session: SoakSession,
	name: string,
	[key, parameters]: LaneNode,
): Promise<StartWorkflow> {
	const splitOut = {
		name: 'Split Out',
		type: 'n8n-nodes-base.splitOut',
		typeVersion: 1,
		parameters: { fieldToSplitOut: 'body.items', options: { destinationFieldName: 'item' } },
	};
	const node = kuaidaili(parameters, credentialOf(key));
	const { call } = await serveWebhook(session, `Soak ${name}`, [splitOut, node]);
	return async (items) => {
		const { status, text } = await call({ items });
		if (status !== 200) throw new Error(`the run failed: ${status} ${excerpt(text)}`);
		return records(JSON.parse(text));
	};
}

function records(content: unknown): Output {
	const list: unknown[] = Array.isArray(content) ? content : [content];
	return list.map((entry) => {
		if (!isRecord(entry)) throw new Error(`the output is ${excerpt(content)}`);
		const error = at(entry, 'error');
		if (error !== undefined) throw new Error(`an item failed: ${excerpt(error)}`);
		return entry;
	});
}

/** Makes the workflows of a lane, each with one node. */
export function lane({
	name,
	nodes,
	items,
	rest,
	quotaOf,
	mostSpareShare = 0,
	pauseMs = PAUSE_MS,
}: LanePlan): OpenLane {
	return async (session) => {
		const starts: StartWorkflow[] = [];
		for (const [index, node] of nodes.entries()) {
			starts.push(await serve(session, nodes.length === 1 ? name : `${name} ${index + 1}`, node));
		}
		const [first, ...others] = starts;
		return {
			name,
			quotaOf,
			mostSpareShare,
			pauseMs,
			run: async () => await rest(await first(items), ...others),
			total: { items: 0, extracted: 0, created: [] },
			failures: [],
		};
	};
}

export function several<T>(count: number, item: (index: number) => T): readonly T[] {
	return Array.from({ length: count }, (_none, index) => item(index));
}

export function expectCount(output: Output, count: number): number {
	if (output.length !== count) throw new Error(`${output.length} items came out, not ${count}`);
	return count;
}

export function expectEach(output: Output, name: string, value: unknown): void {
	for (const record of output) {
		if (record[name] !== value) throw new Error(`'${name}' is ${String(record[name])}`);
	}
}

/** @returns the addresses of so many proxies, each with its login in the URL where it has one */
export function expectProxies(output: Output, count: number): string[] {
	expectCount(output, count);
	return output.map((record) => {
		const address = readString(record, 'address');
		const login =
			record.username === undefined
				? ''
				: `${encoded(record, 'username')}:${encoded(record, 'password')}@`;
		const expected = `http://${login}${address}`;
		if (record.proxyUrl !== expected) throw new Error(`the proxy ${address} has a wrong URL`);
		return address;
	});
}

function encoded(record: Record<string, unknown>, name: string): string {
	return encodeURIComponent(readString(record, name));
}
