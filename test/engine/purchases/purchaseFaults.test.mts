import type { IDataObject, INode } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import {
	newAccount,
	newTunnelProxyOrder,
	startSandbox,
	type Fault,
	type KeyPair,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import { Engine, type RunResult } from '../support/engine.mts';

/*
 * What happens to the money when something goes wrong. Nothing is mocked: the built node runs in n8n's
 * engine, and what was paid is what the sandbox's ledger says.
 */

interface Operation {
	name: 'create' | 'renew';
	path: string;
	/** Where the node looks before a purchase, and after an unclear one. */
	looks: string;
	keyType: 'account' | 'order';
	parameters: IDataObject;
	/** What the message about an unclear outcome says. */
	unclear: RegExp;
	/** What its description says about where to look. */
	whereToLook: RegExp;
}

const OPERATIONS: readonly Operation[] = [
	{
		name: 'create',
		path: '/api/createorder',
		looks: '/api/getaccountorders',
		keyType: 'account',
		parameters: { product: 'TPS', payType: 'PRE_PAY', prepayTimeType: 'DAY', tpsMaxRps: 5 },
		unclear: /^The order may have been placed: /,
		whereToLook: /Order: Get Many.*order list/,
	},
	{
		name: 'renew',
		path: '/api/reneworder',
		looks: '/api/getorderexpiretime',
		keyType: 'order',
		parameters: { renewWhen: 'always', renewalOf: 'prepaid', timeType: 'DAY', timeNumber: 1 },
		unclear: /^The order may have been renewed: /,
		whereToLook: /expiry time.*Order: Get/,
	},
];

interface Trouble {
	name: string;
	fault: Fault;
	/** How often the troubled item is paid, and what the node says of it. */
	paid: 0 | 1;
	outcome: 'unclear' | 'verified' | 'success';
	/** How many requests that buy the troubled item makes. */
	requests: number;
	/** Whether the service does not say either what there was before, or what there is now. */
	looksFail?: true;
	signType?: 'token';
}

/** What was paid can be seen at the service afterwards. */
const unclear = (name: string, fault: Fault, paid: 0 | 1): Trouble => ({
	name,
	fault,
	paid,
	outcome: paid === 1 ? 'verified' : 'unclear',
	requests: 1,
});

const repeated = (code: number, signType?: 'token'): Trouble => ({
	name: `code ${code}`,
	fault: { kind: 'code', code },
	paid: 1,
	outcome: 'success',
	requests: 2,
	signType,
});

const ANSWERS_LOST: readonly Trouble[] = [
	unclear('a connection cut before the work', { kind: 'cut', when: 'before' }, 0),
	unclear('a connection cut after the work', { kind: 'cut', when: 'after' }, 1),
	unclear('no answer within the time-out, before the work', { kind: 'hang', when: 'before' }, 0),
	unclear('no answer within the time-out, after the work', { kind: 'hang', when: 'after' }, 1),
	unclear('status 502 before the work', { kind: 'status', status: 502, when: 'before' }, 0),
	unclear('status 502 after the work', { kind: 'status', status: 502, when: 'after' }, 1),
	unclear('status 503 before the work', { kind: 'status', status: 503, when: 'before' }, 0),
	unclear('status 503 after the work', { kind: 'status', status: 503, when: 'after' }, 1),
	unclear('status 401 after the work', { kind: 'status', status: 401, when: 'after' }, 1),
	unclear('status 429 after the work', { kind: 'status', status: 429, when: 'after' }, 1),
	unclear('half of the JSON', { kind: 'halfBody', promise: 'half' }, 1),
	unclear('a connection cut in the middle of the answer', { kind: 'halfBody', promise: 'full' }, 1),
	unclear('a connection reset before the work', { kind: 'cut', how: 'reset', when: 'before' }, 0),
	unclear('a connection reset after the work', { kind: 'cut', how: 'reset', when: 'after' }, 1),
	unclear('an HTML page before the work', { kind: 'html', when: 'before' }, 0),
	unclear('an HTML page after the work', { kind: 'html', when: 'after' }, 1),
	unclear('code -109 before the work', { kind: 'code', code: -109, when: 'before' }, 0),
	unclear('code -109 after the work', { kind: 'code', code: -109, when: 'after' }, 1),
	unclear('an unknown code after the work', { kind: 'code', code: -999, when: 'after' }, 1),
];

/** Something on the way delivers the request twice; the pace is not judged here, so that both get through. */
const TWICE: readonly Trouble[] = [
	unclear('a request that arrives twice, with the last answer', { kind: 'twice' }, 1),
	unclear('a request that arrives twice, after a cut', { kind: 'twice', cutFirst: 'after' }, 1),
	{
		name: 'a request that arrives twice, with the first answer',
		fault: { kind: 'twice', answer: 'first' } as const,
		paid: 1 as const,
		outcome: 'success' as const,
	},
].map((trouble): Trouble => ({ ...trouble, requests: 2 }));

const TROUBLES: readonly Trouble[] = [
	...ANSWERS_LOST,
	...ANSWERS_LOST.filter(({ paid }) => paid === 1).map(
		(trouble): Trouble => ({
			...trouble,
			name: `${trouble.name}, and nothing to be seen afterwards`,
			outcome: 'unclear',
			looksFail: true,
		}),
	),
	repeated(-120),
	repeated(-107, 'token'),
	repeated(-112),
	// It may be the second delivery of a request that was carried out
	unclear('code -114 before the work', { kind: 'code', code: -114, when: 'before' }, 0),
	unclear('code -114 after the work', { kind: 'code', code: -114, when: 'after' }, 1),
	...TWICE,
];

const SETTINGS: ReadonlyArray<[name: string, settings: Partial<INode>]> = [
	['plain', {}],
	['Retry On Fail', { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }],
	['Continue On Fail', { onError: 'continueRegularOutput' }],
	[
		'Retry and Continue On Fail',
		{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1, onError: 'continueRegularOutput' },
	],
];

type Case = [
	operation: Operation,
	trouble: Trouble,
	settingsName: string,
	settings: Partial<INode>,
	itemCount: 1 | 3,
];

const CASES: Case[] = OPERATIONS.flatMap((operation) =>
	TROUBLES.flatMap((trouble) =>
		SETTINGS.flatMap(([name, settings]) =>
			([1, 3] as const).map((count): Case => [operation, trouble, name, settings, count]),
		),
	),
);

/** Lets `before` requests pass, then sets the fault for one call. The pace of 1 per second leaves time. */
async function troubleAfter(
	sandbox: Sandbox,
	{ path }: Operation,
	fault: Fault,
	before: number,
	runEnded: () => boolean,
) {
	const answered = () =>
		sandbox.log.entries(path).filter(({ outcome }) => outcome === 'answered').length;
	while (answered() < before && !runEnded())
		await new Promise((resolve) => setTimeout(resolve, 10));
	sandbox.faults.add({ ...fault, path, times: 1 });
}

let lastCase = 0;

/**
 * Keys of its own for each case: the node keeps the pace per key in the whole process, so cases with
 * one key would wait for each other.
 */
function ownKeys({ store, clock }: Sandbox, keyType: Operation['keyType']): KeyPair {
	const name = `money-${++lastCase}`;
	const account = store.addAccount(newAccount(name, { balanceInFen: 1_000_000_00 }));
	if (keyType === 'account') return account.keys;
	return store.addOrder(newTunnelProxyOrder(`${name}-order`, account, clock.now())).keys;
}

async function runCase([operation, trouble, , settings, itemCount]: Case) {
	const sandbox = await startSandbox({
		seed: 1,
		catalogueSize: 1,
		forwardProxies: false,
		// So many cases at once blur the pace that the sandbox sees; other tests are about that
		rateLimits: false,
	});
	try {
		const engine = new Engine();
		const { keyType } = operation;
		const credentialId = engine.addCredential(
			credentialData(sandbox.hosts, ownKeys(sandbox, keyType), keyType, trouble.signType),
		);
		if (trouble.looksFail === true) {
			sandbox.faults.add({ kind: 'status', status: 503, path: operation.looks });
		}
		const troubled = itemCount === 1 ? 0 : 1;
		let hasEnded = false;
		const [result] = await Promise.all([
			engine
				.run({
					credentialId,
					items: Array.from({ length: itemCount }, (_none, n) => ({ n })),
					parameters: {
						resource: 'order',
						operation: operation.name,
						...operation.parameters,
						// Short for the one that hangs alone: on a busy machine others may need longer
						options: {
							maxOrdersPerRun: 10,
							timeout: `={{ $json.n === ${troubled} && ${trouble.fault.kind === 'hang'} ? 3 : 60 }}`,
						},
					},
					settings,
				})
				.finally(() => (hasEnded = true)),
			troubleAfter(sandbox, operation, trouble.fault, troubled, () => hasEnded),
		]);
		return {
			result,
			paid: sandbox.ledger.count(),
			orders: sandbox.ledger.entries().map(({ orderId }) => orderId),
			requests: sandbox.log.count(operation.path),
		};
	} finally {
		await sandbox.close();
	}
}

function outcomeOf({ items, error }: RunResult, itemIndex: number): 'success' | 'error' | 'none' {
	const item = items.find(({ pairedItem }) =>
		typeof pairedItem === 'object' && !Array.isArray(pairedItem)
			? pairedItem.item === itemIndex
			: false,
	);
	if (item !== undefined) return 'error' in item.json ? 'error' : 'success';
	return error?.context?.itemIndex === itemIndex ? 'error' : 'none';
}

function textOfError({ items, error }: RunResult): string {
	const failed = items.find(({ json }) => 'error' in json);
	return failed === undefined
		? `${error?.message}. ${error?.description}`
		: String(failed.json.error);
}

// Hundreds of runs side by side: on a busy machine each of them takes its time
jest.setTimeout(600_000);

it.concurrent.each(
	CASES.map((each) => [each[0].name, each[1].name, each[2], each[4], each] as const),
)(
	'%s, %s, %s, %i items: paid once at most, and nothing lost',
	async (_operation, _trouble, _settings, itemCount, theCase) => {
		const [operation, trouble, , settings] = theCase;
		const { result, paid, orders, requests } = await runCase(theCase);
		const troubled = itemCount === 1 ? 0 : 1;
		const isDone = trouble.outcome !== 'unclear';
		const goesOn = settings.onError !== undefined || isDone;
		const others = itemCount === 1 ? 0 : goesOn ? 2 : 1;

		expect(paid).toBe(trouble.paid + others);
		expect(requests).toBe(trouble.requests + others);
		expect(outcomeOf(result, troubled)).toBe(isDone ? 'success' : 'error');
		const verified = result.items.filter(({ json }) => json.verified === true);
		expect(verified.map(({ pairedItem }) => pairedItem)).toEqual(
			trouble.outcome === 'verified' ? [{ item: troubled }] : [],
		);
		if (trouble.outcome === 'unclear') {
			const text = textOfError(result);
			expect(text).toMatch(operation.unclear);
			expect(text).toMatch(operation.whereToLook);
			expect(text).toMatch(new RegExp(`item ${troubled} at \\d{4}-\\d{2}-\\d{2}T`));
			expect(text).not.toMatch(/retry on fail/i);
		}
		// Every order that was paid without trouble is in the output, or in the text of the error
		const shown = `${JSON.stringify(result.items)} ${textOfError(result)}`;
		const certain = orders.filter((_order, index) => index !== troubled || isDone);
		for (const orderId of certain) expect(shown).toContain(orderId);
		if (isDone) expect(result.items.map(({ json }) => json.orderid)).toEqual(orders);
	},
);
