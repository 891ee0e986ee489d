import type { Endpoint } from '../nodes/shared/service/endpoint.ts';
import {
	GET_ACCOUNT_BALANCE,
	GET_ACCOUNT_ORDERS,
	GET_ORDER_SECRET,
} from '../nodes/shared/service/endpoints/account.ts';
import { GET_ORDER_INFO } from '../nodes/shared/service/endpoints/order.ts';
import type { ServiceHosts } from '../nodes/shared/service/hosts.ts';
import { PAY_TYPES, PRODUCT_LABELS } from '../nodes/shared/service/products.ts';
import { compareAnswers } from './comparison.mts';
import { ShownNames } from './names.mts';
import { orderOfKeys, ordersToAsk, type AskedOrder } from './orders.mts';
import { EXTRACTION_PROBES, PROBES, type Probe } from './probes.mts';
import { ServiceReader, type Answered, type KeyPair, type Reply } from './reader.mts';
import { Reference } from './reference.mts';
import { writeReport, type Finding } from './report.mts';

export interface LiveSettings {
	readonly keys: KeyPair;
	readonly hosts: ServiceHosts;
	/** With 1, each product hands out one proxy. */
	readonly ips: number;
	/** See `ServiceReader`. */
	readonly pause?: (ms: number) => Promise<unknown>;
	say(line: string): void;
}

export interface LiveResult {
	readonly report: string;
	/** 0: nothing differs; 1: something does; 2: the service could not be asked about everything. */
	readonly exitCode: 0 | 1 | 2;
}

const PRODUCTS_SHOWN = Object.keys(PRODUCT_LABELS);

/** Asks the service what may be read, and compares its answers with those of the sandbox. */
export async function runLive(settings: LiveSettings): Promise<LiveResult> {
	const reference = await Reference.open();
	try {
		return await new LiveRun(settings, reference).start();
	} finally {
		await reference.close();
	}
}

class LiveRun {
	private readonly reader: ServiceReader;
	private readonly names = new ShownNames();
	private readonly secrets: string[] = [];
	private readonly findings: Finding[] = [];

	constructor(
		private readonly settings: LiveSettings,
		private readonly reference: Reference,
	) {
		const { hosts, ips, keys, pause } = settings;
		this.reader = new ServiceReader({ hosts, extractions: ips > 0, pause });
		this.hide(keys);
	}

	async start(): Promise<LiveResult> {
		const { ips, keys } = this.settings;
		const balance = await this.call(GET_ACCOUNT_BALANCE, keys);
		if (balance.kind === 'unanswered') return this.nothingAsked(`no answer (${balance.reason})`);
		const isAccount = balance.code === 0;
		const orders = isAccount ? await this.ordersOfAccount() : await this.orderOfKey();
		if (typeof orders === 'string') return this.nothingAsked(orders);
		for (const { keys: pair } of orders) this.hide(pair);
		for (const { secretAnswer } of orders) {
			if (secretAnswer === undefined) continue;
			const probe = { endpoint: GET_ORDER_SECRET, variant: '', parameters: {}, maps: [] };
			await this.compare({ ...probe, products: undefined }, secretAnswer, undefined);
		}
		for (const probe of PROBES) await this.ask(probe, isAccount, orders);
		const ofProduct = new Map(orders.toReversed().map((order) => [order.product, order]));
		for (const probe of ips > 0 ? EXTRACTION_PROBES : []) {
			await this.ask(probe, isAccount, [...ofProduct.values()]);
		}
		return this.finish(isAccount, orders);
	}

	private hide({ secretId, secretKey }: KeyPair): void {
		this.secrets.push(secretId, secretKey);
		this.names.learn([secretId, secretKey]);
	}

	private async ordersOfAccount(): Promise<AskedOrder[]> {
		const list = await this.call(GET_ACCOUNT_ORDERS, this.settings.keys);
		const data = list.kind === 'answered' ? list.data : undefined;
		const orders = await ordersToAsk(this.reader, this.settings.keys, data);
		for (const { secretAnswer } of orders) this.names.learn(secretAnswer?.body);
		return orders;
	}

	/** @returns a text where the pair is no order's either */
	private async orderOfKey(): Promise<AskedOrder[] | string> {
		const { keys } = this.settings;
		const details = await this.call(GET_ORDER_INFO, keys);
		if (details.kind === 'unanswered') return `no answer (${details.reason})`;
		if (details.code === 0) return [orderOfKeys(keys, details.data)];
		const code = details.code === undefined ? 'no code' : `code ${details.code}`;
		return `the key pair is refused (${code})`;
	}

	private async call(
		endpoint: Endpoint,
		keys: KeyPair,
		parameters: Readonly<Record<string, string>> = {},
	): Promise<Reply> {
		const reply = await this.reader.call(endpoint, keys, parameters);
		if (reply.kind === 'answered') this.names.learn(reply.body);
		return reply;
	}

	private async ask(
		probe: Probe,
		isAccount: boolean,
		orders: readonly AskedOrder[],
	): Promise<void> {
		const { endpoint, parameters, products, variant } = probe;
		const { path } = endpoint;
		this.settings.say(`  ${path} ${variant}`);
		const asked = orders.filter(({ product }) => products?.includes(product));
		const keyPairs = products === undefined ? [undefined] : asked;
		const missing = products?.join(', ') ?? '';
		if (keyPairs.length === 0) this.note('notAsked', probe, `no order of ${missing}`);
		if (products === undefined && endpoint.key === 'account' && !isAccount) {
			this.note('notAsked', probe, "it needs the account's key pair");
			return;
		}
		for (const order of keyPairs) {
			const live = await this.call(endpoint, order?.keys ?? this.settings.keys, parameters);
			// What needs no order is asked with the key pair of one where there is no other
			const product = order?.product ?? (isAccount ? undefined : orders[0].product);
			if (live.kind === 'answered') await this.compare(probe, live, product);
			else this.note('notAnswered', probe, live.reason);
		}
	}

	private async compare(probe: Probe, live: Answered, product: string | undefined): Promise<void> {
		const sandbox = await this.reference.answersTo(probe, product);
		const { endpoint, maps } = probe;
		const differences = compareAnswers(endpoint, live, sandbox, { maps, names: this.names });
		if (differences.length === 0) this.note('agrees', probe, '', product);
		for (const text of differences) this.note('differs', probe, text, product);
	}

	private note(
		kind: Finding['kind'],
		{ endpoint: { path }, variant }: Probe,
		text: string,
		product?: string,
	): void {
		this.findings.push({ kind, path, variant, product, text });
	}

	private nothingAsked(why: string): LiveResult {
		const report = `# Kuaidaili compared with the sandbox\n\nNothing was asked: ${why}.\n`;
		return { report: this.names.conceal(report, this.secrets), exitCode: 2 };
	}

	private finish(isAccount: boolean, asked: readonly AskedOrder[]): LiveResult {
		const { findings } = this;
		const orders = asked.map(({ product, payType }) => {
			const isKnown = PRODUCTS_SHOWN.includes(product) && Object.hasOwn(PAY_TYPES, payType);
			return isKnown ? `${product} ${payType}` : 'another one';
		});
		const report = writeReport({ isAccount, orders, findings });
		const has = (kind: Finding['kind']) => findings.some((finding) => finding.kind === kind);
		const exitCode = has('differs') ? 1 : has('notAnswered') ? 2 : 0;
		return { report: this.names.conceal(report, this.secrets), exitCode };
	}
}
