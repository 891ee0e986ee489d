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
import { PROBES, type Probe } from './probes.mts';
import { QUESTIONS } from './questions.mts';
import { ServiceReader, type Answered, type KeyPair, type Reply } from './reader.mts';
import { Reference } from './reference.mts';
import { areOnThisMachine } from './testHosts.mts';
import { writeReport, type Finding, type LiveReport } from './report.mts';
import { tryProxies } from './tryProxies.mts';

export interface LiveSettings {
	readonly keys: KeyPair;
	readonly hosts: ServiceHosts;
	/** With 1, each product hands out one proxy, and a page is opened through it. */
	readonly ips: 0 | 1;
	/** Opened through the proxies. */
	readonly testPage: URL;
	/** Off only where a test's sandbox answers at any pace. */
	readonly keepsPace?: boolean;
	say(line: string): void;
}

export interface LiveResult {
	readonly report: string;
	/** 0: nothing differs; 1: something does; 2: the service could not be asked about everything. */
	readonly exitCode: 0 | 1 | 2;
}

const PRODUCTS_SHOWN = Object.keys(PRODUCT_LABELS);
const TOO_FAST = -120;
const MOST_CLOCK_SECONDS = 60;
const MOST_REPEATS = 3;

/** Asks the service what may be read, and compares its answers with those of the sandbox. */
export async function runLive(settings: LiveSettings): Promise<LiveResult> {
	const reference = await Reference.open();
	try {
		const run = new LiveRun(settings, reference);
		return await run.start();
	} finally {
		await reference.close();
	}
}

class LiveRun {
	private readonly reader: ServiceReader;
	private readonly names = new ShownNames();
	private readonly secrets: string[];
	private readonly findings: Finding[] = [];
	private readonly replies = new Map<string, Answered>();
	private readonly clocks: number[] = [];
	private readonly tooFast = new Set<string>();
	private readonly isStandIn: boolean;

	constructor(
		private readonly settings: LiveSettings,
		private readonly reference: Reference,
	) {
		const { hosts, ips, keys, keepsPace = true } = settings;
		this.reader = new ServiceReader({ hosts, extractions: ips > 0, keepsPace });
		this.isStandIn = areOnThisMachine(hosts);
		this.secrets = [keys.secretId, keys.secretKey];
		this.names.learn(this.secrets);
	}

	async start(): Promise<LiveResult> {
		const { keys } = this.settings;
		const balance = await this.call(GET_ACCOUNT_BALANCE, keys);
		if (balance.kind === 'unanswered') return this.unasked(`no answer (${balance.reason})`);
		const isAccount = balance.code === 0;
		const orders = isAccount ? await this.ordersOfAccount() : await this.orderOfKey();
		if (typeof orders === 'string') return this.unasked(orders);
		for (const { keys: pair } of orders) this.hide(pair);

		await this.compareAll(isAccount, orders);
		if (this.settings.ips > 0) {
			const { names, reference, reader, isStandIn } = this;
			const { testPage } = this.settings;
			const trial = { orders, reader, reference, names, testPage, isStandIn };
			this.findings.push(...(await tryProxies(trial)));
		}
		this.judgeClockAndPace();
		const answers = await this.askQuestions(isAccount, orders);
		return this.finish({ isAccount, orders, answers });
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
		if (details.code !== 0) {
			const code = details.code === undefined ? 'no code' : `code ${details.code}`;
			return `the key pair is refused (${code})`;
		}
		return [orderOfKeys(keys, details.data)];
	}

	/** Repeats what was too fast, and notes that it was. */
	private async call(
		endpoint: Endpoint,
		keys: KeyPair,
		parameters: Readonly<Record<string, string>> = {},
	): Promise<Reply> {
		for (let repeats = 0; ; repeats += 1) {
			const reply = await this.reader.call(endpoint, keys, parameters);
			if (reply.kind === 'unanswered') return reply;
			this.names.learn(reply.body);
			if (reply.clockAheadSeconds !== undefined) this.clocks.push(reply.clockAheadSeconds);
			if (reply.code !== TOO_FAST) return reply;
			this.tooFast.add(endpoint.path);
			if (repeats >= MOST_REPEATS) return reply;
		}
	}

	private async compareAll(isAccount: boolean, orders: readonly AskedOrder[]): Promise<void> {
		for (const order of orders) {
			if (order.secretAnswer !== undefined) await this.compareSecret(order.secretAnswer);
		}
		for (const probe of PROBES) {
			this.settings.say(`  ${probe.endpoint.path} ${probe.variant}`);
			const { endpoint, products } = probe;
			if (products !== undefined) {
				const asked = orders.filter(({ product }) => products.includes(product));
				if (asked.length === 0) this.notAsked(probe, `no order of ${products.join(', ')}`);
				for (const order of asked) await this.compare(probe, order.keys, order);
			} else if (isAccount) await this.compare(probe, this.settings.keys, undefined);
			else if (endpoint.key === 'account') this.notAsked(probe, "needs the account's key pair");
			else await this.compare(probe, this.settings.keys, orders[0]);
		}
	}

	private notAsked({ endpoint, variant }: Probe, why: string): void {
		this.findings.push({ kind: 'notAsked', path: endpoint.path, variant, why });
	}

	private async compareSecret(live: Answered): Promise<void> {
		const probe = { endpoint: GET_ORDER_SECRET, variant: '', parameters: {}, maps: [] };
		await this.compareAnswer({ ...probe, products: undefined }, live, undefined);
	}

	private async compare(probe: Probe, keys: KeyPair, order: AskedOrder | undefined): Promise<void> {
		const { endpoint, parameters, variant } = probe;
		const live = await this.call(endpoint, keys, parameters);
		if (live.kind === 'unanswered') {
			const { path } = endpoint;
			this.findings.push({ kind: 'unanswered', path, variant, why: live.reason });
			return;
		}
		if (order !== undefined) this.replies.set(`${endpoint.path} ${keys.secretId}`, live);
		await this.compareAnswer(probe, live, order?.product);
	}

	private async compareAnswer(
		probe: Probe,
		live: Answered,
		product: string | undefined,
	): Promise<void> {
		const { endpoint, variant, maps } = probe;
		const sandbox = await this.reference.answersTo(probe, product);
		const { names, isStandIn } = this;
		const options = { maps, names, isStandIn };
		const { differences, notCompared } = compareAnswers(endpoint, live, sandbox, options);
		for (const field of notCompared) {
			this.findings.push({ kind: 'notCompared', path: endpoint.path, variant, product, field });
		}
		const asked = { path: endpoint.path, variant, product };
		if (differences.length === 0) this.findings.push({ kind: 'agrees', ...asked });
		for (const text of differences) this.findings.push({ kind: 'differs', ...asked, text });
	}

	private judgeClockAndPace(): void {
		const most = this.clocks.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
		if (Math.abs(most) > MOST_CLOCK_SECONDS) {
			const text = `the service's clock and this machine's are ${Math.abs(most)} s apart`;
			this.findings.push({ kind: 'differs', path: 'clock', variant: '', text });
		}
		for (const path of this.tooFast) {
			const text = 'refused as too fast (-120) at the documented pace';
			this.findings.push({ kind: 'differs', path, variant: 'pace', text });
		}
	}

	private async askQuestions(isAccount: boolean, orders: readonly AskedOrder[]) {
		const { reader } = this;
		const { keys } = this.settings;
		const answers: LiveReport['answers'] = [];
		for (const { number, subject, ask } of QUESTIONS) {
			this.settings.say(`  question ${number}: ${subject}`);
			const answer = await ask?.({
				...{ reader, keys, isAccount, orders },
				replyTo: (endpoint, order) => this.replies.get(`${endpoint.path} ${order.keys.secretId}`),
			});
			const isReadable = ask !== undefined;
			if (typeof answer === 'object') {
				const text = `${subject}: ${answer.differs}`;
				this.findings.push({ kind: 'differs', path: `question ${number}`, variant: '', text });
				answers.push({ number, subject, answer: answer.differs, isReadable });
			} else answers.push({ number, subject, answer, isReadable });
		}
		return answers;
	}

	private unasked(why: string): LiveResult {
		const report = writeReport({
			isAccount: undefined,
			products: [],
			findings: [],
			answers: [],
			why,
		});
		return { report: this.names.conceal(report, this.secrets), exitCode: 2 };
	}

	private finish({
		isAccount,
		orders,
		answers,
	}: {
		isAccount: boolean;
		orders: readonly AskedOrder[];
		answers: LiveReport['answers'];
	}): LiveResult {
		const { findings } = this;
		const products = orders.map(({ product, payType }) => ({
			product: PRODUCTS_SHOWN.includes(product) ? product : 'another product',
			payType: Object.hasOwn(PAY_TYPES, payType) ? payType : 'another pay type',
		}));
		const report = writeReport({ isAccount, products, findings, answers, why: undefined });
		const differs = findings.some(({ kind }) => kind === 'differs');
		const isCut = findings.some(({ kind }) => kind === 'unanswered');
		const exitCode = differs ? 1 : isCut ? 2 : 0;
		return { report: this.names.conceal(report, this.secrets), exitCode };
	}
}
