import tls from 'node:tls';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { CERTIFICATE } from '../../../sandbox/pages/certificate.mts';
import type { SandboxOptions, Visit } from '../../../sandbox/sandbox.mts';
import type { OrderKind } from '../../operations/world.mts';
import { Customer, type CustomerRun } from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { pageParameters } from '../support/inOptions.mts';
import { TestBed } from '../support/testBed.mts';
import { eachTest } from '../support/workbench.mts';

/** Node.js reads the certificates that it trusts once; the pages of the sandbox are signed by themselves. */
const createSecureContext = tls.createSecureContext;
beforeAll(() => {
	tls.createSecureContext = (options) =>
		createSecureContext({ ...options, ca: options?.ca ?? CERTIFICATE });
});
afterAll(() => {
	tls.createSecureContext = createSecureContext;
});

/** What `pageDetails` of an item says. */
export interface Details {
	url: string;
	statusCode?: number;
	headers?: Record<string, unknown>;
	proxy?: string;
	attempts: Array<{ proxy: string; outcome: string; statusCode?: number; milliseconds: number }>;
	sessionRestarted?: boolean;
	outcome?: string;
	title?: string;
	links?: Array<{ url: string; text: string }>;
	error?: string;
}

export function detailsOf({ json }: INodeExecutionData): Details {
	return json.pageDetails as unknown as Details;
}

/** Such as "timeout, opened 200". */
export function outcomesOf(item: INodeExecutionData): string {
	return detailsOf(item)
		.attempts.map(({ outcome, statusCode }) => [outcome, statusCode].filter(Boolean).join(' '))
		.join(', ');
}

/** Somebody with an order, who opens the pages of the sandbox through its proxies. */
export class PageOpener extends Customer {
	constructor(
		bed: TestBed,
		readonly sites: { readonly http: string; readonly https: string },
		kind: OrderKind,
		private readonly product: string,
	) {
		super(bed, { kind });
	}

	get orderId(): string {
		return this.theOrder.orderId;
	}

	/** The address of a page over http. */
	page(path: string): string {
		return `${this.sites.http}${path}`;
	}

	/** The same over https. */
	securePage(path: string): string {
		return `${this.sites.https}${path}`;
	}

	/** Opens pages, each an input item. */
	async open(
		urls: readonly string[] | IDataObject[],
		fields: IDataObject = {},
		settings: CustomerRun = {},
	): Promise<RunResult> {
		const texts = urls.filter((url) => typeof url === 'string');
		// Of equal addresses, only one would be opened
		const apart = (url: string, at: number) => (texts.indexOf(url) < at ? `${url}#${at}` : url);
		const items = urls.map((url, at) => (typeof url === 'string' ? { url: apart(url, at) } : url));
		return await this.run(this.opening(fields), { items, ...settings });
	}

	/** Parameters of a node that opens pages, with all that there is to know of a page, which tests ask for. */
	opening(fields: IDataObject): IDataObject {
		const options =
			typeof fields.options === 'object' ? { simplify: false, ...fields.options } : fields.options;
		return pageParameters({
			...{ resource: 'page', operation: 'open', product: this.product },
			...{ ...fields, options: options ?? { simplify: false } },
		});
	}

	/** The visits of pages that came through the order's proxies. */
	get visits(): Visit[] {
		const all = this.sandbox.pages.visits.entries();
		return all.filter(({ through }) => through?.orderId === this.orderId);
	}

	/** What the proxies of the order were asked for. */
	get proxied() {
		return this.sandbox.proxyLog.entries().filter(({ orderId }) => orderId === this.orderId);
	}
}

/**
 * Whether somebody who came through a proxy had gone when the page looked, so that the sandbox knows no longer through
 * which: nobody sends that header to a page directly.
 */
function hasLeftProxy({ outcome, headers }: Visit): boolean {
	return outcome === 'left' && headers['proxy-connection'] !== undefined;
}

/** A sandbox with pages for the tests of a block. After each of them nobody may have come without a proxy. */
export function usePages(options: SandboxOptions = {}) {
	let bed: TestBed;
	let sites: { http: string; https: string };
	beforeAll(async () => {
		bed = await TestBed.start({ forwardProxies: true, ...options });
		sites = await bed.sandbox.pages.open();
	});
	afterEach(() => {
		const { visits, faults } = bed.sandbox.pages;
		const direct = visits
			.direct()
			.filter((visit) => !hasLeftProxy(visit))
			.map(({ url }) => url);
		const refusals = bed.sandbox.log.refusals();
		visits.clear();
		faults.clear();
		bed.sandbox.proxyFaults.clear();
		bed.reset();
		expect(direct).toEqual([]);
		expect(refusals).toEqual([]);
	});
	afterAll(() => bed.close());
	const opener = (kind: OrderKind, product: string) => new PageOpener(bed, sites, kind, product);
	return {
		bed: () => bed,
		opener,
		/** For each test another one, with private proxies that are paid per IP. */
		me: eachTest(() => opener('dpsPerIp', 'DPS')),
	};
}
