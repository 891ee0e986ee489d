import { readFile } from 'node:fs/promises';
import { at, isRecord, readList } from './outsideData.mts';

export type Workflow = Readonly<Record<string, unknown>>;

/** The files in `examples/` that the demo shows and checks. */
export const EXAMPLES = [
	'extract-and-use-proxies',
	'order-a-tunnel-proxy',
	'order-where-ips-are-left',
] as const;

export type ExampleName = (typeof EXAMPLES)[number];

export async function readExample(name: ExampleName): Promise<Workflow> {
	const file = new URL(`../examples/${name}.json`, import.meta.url);
	const workflow: unknown = JSON.parse(await readFile(file, 'utf8'));
	if (!isRecord(workflow)) throw new Error(`${file.pathname} does not hold a workflow`);
	return workflow;
}

const PAGE_NODE = 'Page to Open';
const PAGE_FIELD = 'pageUrl';

/**
 * The same workflow, asking another page: the one edit that a person makes in an example before
 * running it. An example that asks no page stays as it is.
 */
export function withPage(workflow: Workflow, pageUrl: string): Workflow {
	const copy = structuredClone(workflow);
	const node = readList(copy, 'nodes').find((each) => at(each, 'name') === PAGE_NODE);
	if (node === undefined) return copy;
	const fields = readList(node, 'parameters', 'assignments', 'assignments');
	const field = fields.find((each) => at(each, 'name') === PAGE_FIELD);
	if (!isRecord(field)) throw new Error(`'${PAGE_NODE}' has no field '${PAGE_FIELD}'`);
	field.value = pageUrl;
	return copy;
}
