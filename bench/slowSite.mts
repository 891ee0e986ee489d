import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { openSandbox } from '../harness/realN8n/index.mts';
import { credentialData } from '../harness/credentials.mts';
import { newPrivateProxyOrder, type Order, type Sandbox } from '../sandbox/sandbox.mts';
import type { NewNode } from '../harness/realN8n/workflows.mts';
import { kuaidailiStep } from './inN8n.mts';

export const PAGES = 500;
export const AT_A_TIME = 20;
/** How long each page takes. */
export const PAGE_MS = 300;
/** Each tenth proxy is dead: it refuses the connection. */
export const DEAD_SHARE = 10;

/** The time that the pages alone take. */
export const WAITING_MS = (PAGES / AT_A_TIME) * PAGE_MS;

export const SLOW_PATH = `/slow?ms=${PAGE_MS}`;

/** A site, and an order of private proxies to open its pages through. */
export interface SlowSite {
	readonly sandbox: Sandbox;
	readonly order: Order;
	readonly credential: ICredentialDataDecryptedObject;
	/** The address of a page over http. */
	page(path: string): string;
	/** How many proxies the order has handed out. */
	used(): number;
}

export async function openSlowSite(): Promise<SlowSite> {
	const sandbox = await openSandbox({ catalogueSize: 10 });
	const sites = await sandbox.pages.open();
	const { store, clock, extractions, hosts, keys, proxyFaults } = sandbox;
	const order = store.addOrder(
		newPrivateProxyOrder('bench-pages', store.account(keys.account.secretId), clock.now(), {
			payType: 'PRE_PAY_IP',
			ipBalance: 1_000_000,
			period: 'M_30_60',
		}),
	);
	proxyFaults.add({ kind: 'refuse', everyNth: DEAD_SHARE });
	return {
		sandbox,
		order,
		credential: credentialData(hosts, order.keys, 'order'),
		page: (path) => `${sites.http}${path}`,
		used: () => extractions.total({ orderId: order.orderId }),
	};
}

/**
 * Page: Open of a slow page for each input item, each through a new proxy.
 *
 * @param fields what is wanted of the page; the presets by default
 */
export function openStep(
	{ page }: SlowSite,
	path = SLOW_PATH,
	fields: Readonly<Record<string, unknown>> = {},
): NewNode {
	return kuaidailiStep('Open', {
		resource: 'page',
		operation: 'open',
		product: 'DPS',
		// Of equal addresses, only one would be opened
		url: `=${page(path)}#{{ $itemIndex }}`,
		...fields,
		options: {
			reuse: false,
			// Of 500 pages, each second run has one that meets three dead proxies in a row
			maxAttempts: 6,
			pagesAtATime: AT_A_TIME,
			maxExtractionsPerRun: 0,
		},
	});
}
