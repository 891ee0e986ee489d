import { readFile } from 'node:fs/promises';
import { at, isRecord, readList } from '../harness/outsideData.mts';

export type Workflow = Readonly<Record<string, unknown>>;

/** The files in `examples/` that the demo shows and checks. */
export const EXAMPLES = [
	'ask-an-ai-agent',
	'check-my-setup',
	'crawl-a-list',
	'keep-whitelist-current',
	'keep-working-proxies',
	'log-in-and-open-pages',
	'open-pages-with-http-request',
	'open-pages-over-several-days',
	'order-a-tunnel-proxy',
	'order-where-ips-are-left',
	'renew-every-morning',
	'renew-when-expiring',
	'scrape-pages-through-private-proxies',
	'tell-when-balance-is-low',
	'watch-pages-for-changes',
	'what-was-spent',
] as const;

export type ExampleName = (typeof EXAMPLES)[number];

/** The name of its picture in docs/, without ending. */
export function pictureName(example: ExampleName): string {
	return example === 'scrape-pages-through-private-proxies' ? 'scrape-pages' : example;
}

export async function readExample(name: ExampleName): Promise<Workflow> {
	const file = new URL(`../examples/${name}.json`, import.meta.url);
	const workflow: unknown = JSON.parse(await readFile(file, 'utf8'));
	if (!isRecord(workflow)) throw new Error(`${file.pathname} does not hold a workflow`);
	return workflow;
}

/** What a person fills in before running an example. */
export interface Inputs {
	/** The page that is opened through proxies. */
	readonly pageUrl: string;
	/** The site with pages for members and with captchas, without a slash at the end. */
	readonly siteUrl: string;
	/** Where messages go. */
	readonly messageUrl: string;
	/** Whether renewals are only told. */
	readonly dryRun?: boolean;
	/** `en` where it is left out. */
	readonly messageLanguage?: 'en' | 'zh';
	/** The credential of the agent's model. */
	readonly model?: { readonly id: string; readonly name: string };
	/** The numbers of the orders to use. */
	readonly privateProxyOrder: string;
	readonly tunnelOrder: string;
}

/** Where the lists of pages in the examples lead as they are. */
const LISTED_PAGE = 'https://dev.kdlapi.com/testproxy';
const LISTED_SITE = 'https://example.com';

/** Addresses of pages, or the expression that makes them. */
function withAddresses(list: unknown, { pageUrl, siteUrl }: Partial<Inputs>): string {
	return String(list)
		.replaceAll(LISTED_PAGE, pageUrl ?? LISTED_PAGE)
		.replaceAll(LISTED_SITE, siteUrl ?? LISTED_SITE);
}

/** The same workflow, filled in; what is not given stays as it is. */
export function withInputs(workflow: Workflow, inputs: Partial<Inputs>): Workflow {
	const copy = structuredClone(workflow);
	for (const node of readList(copy, 'nodes')) {
		const fields = at(node, 'parameters', 'assignments', 'assignments');
		for (const field of Array.isArray(fields) ? fields : []) {
			if (!isRecord(field)) continue;
			if (field.name === 'pageUrl') field.value = inputs.pageUrl ?? field.value;
			if (field.name === 'urls' || field.name === 'pages') {
				field.value = withAddresses(field.value, inputs);
			}
			if (field.name === 'messageUrl') field.value = inputs.messageUrl ?? field.value;
			if (field.name === 'dryRun') field.value = inputs.dryRun ?? field.value;
			if (field.name === 'messageLanguage') {
				field.value = inputs.messageLanguage ?? field.value;
			}
		}
		const parameters = at(node, 'parameters');
		if (isRecord(parameters) && parameters.resource === 'page') {
			parameters.url = withAddresses(parameters.url, inputs);
		}
		if (inputs.model && isRecord(node) && String(node.type).endsWith('.lmChatOpenAi')) {
			node.credentials = { openAiApi: inputs.model };
		}
		const order = at(node, 'parameters', 'orderid');
		if (isRecord(order) && order.value === '') {
			const chosen = orderFor(at(node, 'parameters'), inputs);
			if (chosen !== undefined) Object.assign(order, { mode: 'code', value: chosen });
		}
	}
	return copy;
}

/** @param parameters of the node; private proxies where it names no product, but for a whitelist */
function orderFor(parameters: unknown, inputs: Partial<Inputs>): string | undefined {
	const product = at(parameters, 'product');
	const isTunnel = product === 'TPS' || at(parameters, 'resource') === 'whitelist';
	return isTunnel ? inputs.tunnelOrder : inputs.privateProxyOrder;
}

/** The same workflow with another credential in every node that has one, and without its own id. */
export function withCredential(
	workflow: Workflow,
	credential: { readonly id: string; readonly name: string },
): Workflow {
	const copy: Record<string, unknown> = structuredClone(workflow);
	delete copy.id;
	for (const node of readList(copy, 'nodes')) {
		if (isRecord(node) && node.credentials !== undefined) {
			node.credentials = { kuaidailiApi: { id: credential.id, name: credential.name } };
		}
	}
	return copy;
}
