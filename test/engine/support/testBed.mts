import type { ICredentialDataDecryptedObject, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import {
	newAccount,
	newOpenProxyOrder,
	startSandbox,
	type Account,
	type KeyPair,
	type LoggedRequest,
	type Sandbox,
	type SandboxOptions,
	type Settings,
} from '../../../sandbox/sandbox.mts';
import { ownParameters } from '../../operations/world.mts';
import { seed } from '../../seed.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from './api.mts';
import { closeAtEnd } from './closeAtEnd.mts';
import { extractParameters } from './inOptions.mts';
import { Engine, type RunResult, type RunSettings } from './engine.mts';

export type PlanName = 'regular' | 'vip' | 'svip';

type Order = ReturnType<typeof newOpenProxyOrder>;
export type OpenProxy = Sandbox['catalogue'][number];

const PLAN_OF_ORDER = { regular: 'regular', vip: 'VIP', svip: 'SVIP' } as const;

/** The parameters of "Proxy: Extract", and how the node is run. */
export interface Extraction extends Partial<Omit<RunSettings, 'parameters'>> {
	plan?: unknown;
	num?: unknown;
	output?: unknown;
	filters?: unknown;
	extraFields?: unknown;
	options?: unknown;
	/** Of the credential that is made when none is given. */
	credential?: ICredentialDataDecryptedObject;
}

const DEFAULTS: SandboxOptions = {
	forwardProxies: false,
	catalogueSize: 300,
	seed,
	// Nothing comes late here: see virtualTime.mts
	rateLimits: { toleranceMs: 0 },
};

/** The engine with the built node, and the sandbox that it calls over HTTP. */
export class TestBed {
	readonly engine = new Engine();

	readonly close: () => Promise<void>;

	private readonly firstSettings: Settings;

	private constructor(readonly sandbox: Sandbox) {
		this.firstSettings = { ...sandbox.settings };
		this.close = closeAtEnd(async () => await sandbox.close());
	}

	static async start(options: SandboxOptions = {}): Promise<TestBed> {
		return new TestBed(await startSandbox({ ...DEFAULTS, ...options }));
	}

	/** With a key pair of its own, so that nothing has to wait for the pace of another test. */
	newOrder(plan: PlanName = 'svip', settings: Partial<Order> = {}): Order {
		const { account } = settings;
		return this.sandbox.store.addOrder(
			newOpenProxyOrder(
				uniqueName(plan),
				account ?? this.sandbox.store.account(this.sandbox.keys.account.secretId),
				this.sandbox.clock.now(),
				{ plan: PLAN_OF_ORDER[plan], ...settings },
			),
		);
	}

	newAccount(settings: Partial<Account> = {}): Account {
		return this.sandbox.store.addAccount(newAccount(uniqueName('account'), settings));
	}

	/** What a user fills in; `changes` replace single fields. */
	credentialData(
		keys: KeyPair,
		changes: ICredentialDataDecryptedObject = {},
	): ICredentialDataDecryptedObject {
		return { ...credentialData(this.sandbox.hosts, keys, 'order'), ...changes };
	}

	/** @returns its id, for the settings of a run */
	addCredential(keys: KeyPair, changes?: ICredentialDataDecryptedObject): string {
		return this.engine.addCredential(this.credentialData(keys, changes));
	}

	/** Runs "Proxy: Extract", by default for one proxy and with a new SVIP order. */
	async extract(extraction: Extraction = {}, engine = this.engine): Promise<RunResult> {
		const {
			plan = 'svip',
			num = 1,
			output,
			filters,
			extraFields,
			options,
			credential,
			credentialId = this.addCredential(this.newOrder(planOf(plan)).keys, credential),
			...settings
		} = extraction;
		const given = Object.entries({ plan, num, output, filters, extraFields, options });
		const defined = Object.fromEntries(given.filter(([, value]) => value !== undefined));
		return await engine.run({
			...settings,
			credentialId,
			parameters: {
				...{ resource: 'proxy', operation: 'extract', product: 'OPS' },
				...extractParameters(defined as IDataObject),
			},
		});
	}

	/** The calls that extract proxies, oldest first. */
	get extractions(): readonly LoggedRequest[] {
		return this.sandbox.log.entries(API.getproxy);
	}

	/** What was sent for the last of them, without what belongs to authentication. */
	get lastSent(): Record<string, string> {
		const last = this.extractions.at(-1);
		if (last === undefined) throw new Error('Nothing was sent');
		return ownParameters(last);
	}

	/** What the sandbox knows about the proxy of an output item. */
	proxyOf({ json }: INodeExecutionData): OpenProxy {
		const known = this.sandbox.catalogue.find(
			({ address, port }) => `${address}:${port}` === json.address,
		);
		if (known === undefined) throw new Error(`There is no proxy ${JSON.stringify(json)}`);
		return known;
	}

	/** Between two tests. */
	reset(): void {
		Object.assign(this.sandbox.settings, this.firstSettings);
		this.sandbox.faults.clear();
		this.sandbox.clock.reset();
		this.sandbox.log.clear();
	}
}

function planOf(plan: unknown): PlanName {
	return plan === 'regular' || plan === 'vip' ? plan : 'svip';
}

/**
 * One sandbox for the tests of a block. After each of them no call may have come faster than the
 * service allows, which is the sandbox's own judgement.
 */
export function useTestBed(options?: SandboxOptions): () => TestBed {
	let bed: TestBed;
	beforeAll(async () => {
		bed = await TestBed.start(options);
	});
	afterEach(() => {
		const refusals = bed.sandbox.log.refusals();
		bed.reset();
		expect(refusals).toEqual([]);
	});
	afterAll(() => bed.close());
	return () => bed;
}
