import { isRecord } from '../harness/outsideData.mts';
import type { Endpoint } from '../nodes/shared/service/endpoint.ts';
import {
	GET_FPS,
	GET_KPS,
	GET_SFPS,
	GET_TPS,
	GET_TPS_PRO,
} from '../nodes/shared/service/endpoints/extraction.ts';
import { GET_PROXY_AUTHORIZATION } from '../nodes/shared/service/endpoints/order.ts';
import { EXTRACTION_ENDPOINTS } from './callable.mts';
import { compareAnswers } from './comparison.mts';
import type { ShownNames } from './names.mts';
import type { AskedOrder } from './orders.mts';
import { EXTRACTION_PARAMETERS } from './probes.mts';
import { openThrough, type PageResult, type ProxyAddress } from './proxiedPage.mts';
import type { Answered, ServiceReader } from './reader.mts';
import type { Reference } from './reference.mts';
import type { Finding } from './report.mts';
import { compareShapes, shapeOf } from './shape.mts';

interface Trial {
	readonly orders: readonly AskedOrder[];
	readonly reader: ServiceReader;
	readonly reference: Reference;
	readonly names: ShownNames;
	readonly testPage: URL;
	readonly isStandIn: boolean;
}

interface Source {
	readonly endpoint: Endpoint;
	readonly parameters: Readonly<Record<string, string>>;
}

const ONE_AS_JSON = { num: '1', format: 'json' };

/** What uses nothing up, by product. */
const LISTINGS: Readonly<Record<string, Source>> = {
	KPS: { endpoint: GET_KPS, parameters: ONE_AS_JSON },
	TPS: { endpoint: GET_TPS, parameters: ONE_AS_JSON },
	TPS_PRO: { endpoint: GET_TPS_PRO, parameters: ONE_AS_JSON },
	SFPS: { endpoint: GET_SFPS, parameters: { format: 'json' } },
};

/** Overseas dynamic proxies have both: the tunnel is the default of the node. */
const TUNNEL_OF_FPS: Source = { endpoint: GET_FPS, parameters: { format: 'json' } };

function sourcesOf(product: string): Source[] {
	const extractions = EXTRACTION_ENDPOINTS.filter(
		// The rows of getproxy differ in host and pace only, and one call is enough
		({ path }, index, all) =>
			EXTRACTION_PARAMETERS[path]?.product === product &&
			all.findIndex((each) => each.path === path) === index,
	).map((endpoint) => ({ endpoint, parameters: EXTRACTION_PARAMETERS[endpoint.path].parameters }));
	const listing = Object.hasOwn(LISTINGS, product) ? [LISTINGS[product]] : [];
	return [...extractions, ...listing, ...(product === 'FPS' ? [TUNNEL_OF_FPS] : [])];
}

/** One proxy of one order for each product, and the test page through it. */
export async function tryProxies(trial: Trial): Promise<Finding[]> {
	const findings: Finding[] = [];
	const tried = new Set<string>();
	for (const order of trial.orders) {
		if (tried.has(order.product)) continue;
		tried.add(order.product);
		for (const source of sourcesOf(order.product)) {
			findings.push(...(await trySource(trial, order, source)));
		}
	}
	return findings;
}

async function trySource(trial: Trial, order: AskedOrder, source: Source): Promise<Finding[]> {
	const { reader, reference, names, testPage, isStandIn } = trial;
	const { product, keys } = order;
	const { endpoint, parameters } = source;
	const { path } = endpoint;
	const live = await reader.call(endpoint, keys, parameters);
	if (live.kind === 'unanswered') {
		return [{ kind: 'unanswered', path, variant: 'one proxy', why: live.reason }];
	}
	names.learn(live.body ?? live.text.split(/[\s,]+/, 20));
	const sandbox = await reference.answersTo(source, product);
	const differences = [
		...compareAnswers(endpoint, live, sandbox, { maps: [], names, isStandIn }).differences,
		...compareEntries(live, sandbox),
	];
	const asked = { path, variant: 'one proxy', product };
	const findings: Finding[] = differences.map((text) => ({ kind: 'differs', ...asked, text }));
	if (findings.length === 0) findings.push({ kind: 'agrees', ...asked });

	const proxy = await addressOf(trial, order, live);
	if (proxy === undefined) return findings;
	const page = await openThrough(proxy, testPage);
	const through = { path: `${path}`, variant: 'a page through it', product };
	const problem = problemOf(page);
	findings.push(
		problem === undefined
			? { kind: 'agrees', ...through }
			: { kind: 'differs', ...through, text: problem },
	);
	return findings;
}

function problemOf(page: PageResult): string | undefined {
	switch (page.kind) {
		case 'opened':
			return page.status < 400 ? undefined : `the page answered ${page.status}`;
		case 'proxyRefused':
			return `the proxy answered ${page.status}`;
		case 'failed':
			return `no page came (${page.reason})`;
		default:
			throw page satisfies never;
	}
}

/** The first entry of a list, or of a text. */
function entryOf({ data, code, text }: Answered): string | undefined {
	if (code !== undefined && code !== 0) return undefined;
	const list = isRecord(data) ? data.proxy_list : undefined;
	const first: unknown = Array.isArray(list) ? list[0] : text.split(/[\s|]/, 1)[0];
	return typeof first === 'string' && /^[\w.-]{1,253}:\d{1,5}(?:[:,]|$)/.test(first)
		? first
		: undefined;
}

/** The parts of an entry stand behind commas, in the order of the flags. */
function compareEntries(live: Answered, sandbox: readonly Answered[]): string[] {
	const parts = (answer: Answered) => entryOf(answer)?.split(',', 10);
	const own = parts(live);
	const others = sandbox.map(parts).filter((each) => each !== undefined);
	if (own === undefined || others.length === 0) return [];
	const known = shapeOf(others);
	const [other] = others;
	if (own.length !== other.length) {
		return [`an entry has ${own.length} parts; the sandbox has ${other.length}`];
	}
	// A region may be written in any way, which question 13 is about; it has to stay where it is
	return compareShapes(shapeOf([own]), known).map(
		({ live: kinds, sandbox: kindsThere }) =>
			`an entry holds ${kinds.join(' or ')}; the sandbox has ${kindsThere.join(' or ')}`,
	);
}

async function addressOf(
	{ reader, names }: Trial,
	{ keys, product }: AskedOrder,
	live: Answered,
): Promise<ProxyAddress | undefined> {
	const entry = entryOf(live)?.split(',', 1)[0];
	if (entry === undefined) return undefined;
	const [host, port, username, password] = entry.split(':');
	const address = { host, port: Number(port) };
	if (username !== undefined && password !== undefined) {
		return { ...address, login: { username, password } };
	}
	// Open proxies have no login
	if (product === 'OPS') return address;
	const reply = await reader.call(GET_PROXY_AUTHORIZATION, keys, { plaintext: '1' });
	const data = reply.kind === 'answered' && isRecord(reply.data) ? reply.data : {};
	names.learn(data);
	if (typeof data.username !== 'string' || typeof data.password !== 'string') return address;
	return { ...address, login: { username: data.username, password: data.password } };
}
