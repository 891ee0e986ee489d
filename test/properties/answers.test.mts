import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../harness/credentials.mts';
import { ENDPOINTS } from '../../nodes/shared/service/endpoints/index.ts';
import { API } from '../engine/support/api.mts';
import { Engine, type RunResult } from '../engine/support/engine.mts';
import { TUNNEL_PASSWORD } from '../operations/common.mts';
import { ORDER_SECRET_KEY, SECRET_TOKEN } from '../operations/helperEndpoints.mts';
import { OPERATIONS } from '../operations/index.mts';
import { uniqueName } from '../uniqueName.mts';
import { ANSWERED_EVENTS } from './answeredEvents.mts';
import { ANSWERED_OPERATIONS, type AnsweredOperation } from './answeredOperations.mts';
import { brokenReply } from './brokenAnswers.mts';
import { LONGEST_PROPERTY_MS, named, oneOfEach, tryOut } from './cases.mts';
import { changedReply } from './changedAnswers.mts';
import { expectClear, toldBy, toldByUnopened } from './clearError.mts';
import { asReply, type Reply, rightBody } from './reply.mts';
import { type ReplyServer, startReplyServer } from './replyServer.mts';
import { expectTruth } from './truth.mts';
import { expectPrototypesUntouched } from './untouched.mts';
import { wholeReply } from './wholeAnswers.mts';

const SECRET_KEY = 'the-secret-key-of-the-credential';
/** In virtual time: a whitelist that is still being changed is asked again for 90 seconds. */
const LONGEST_CASE_MS = 120_000;

/** As the documentation of the service calls them. */
const PRODUCTS_OF_EXTRACT = ['OPS', 'DPS', 'KPS', 'TPS', 'TPS_PRO', 'FPS', 'SFPS'];

const engine = new Engine();
let server: ReplyServer;
beforeAll(async () => {
	server = await startReplyServer();
});
afterAll(async () => await server.close());
afterEach(expectPrototypesUntouched);

interface Outcome {
	readonly result: RunResult;
	readonly calls: ReplyServer['calls'];
	readonly items: IDataObject[];
}

/** Runs an operation while one of the answers is as given, and all others are right. */
async function answered(operation: AnsweredOperation, reply: Reply): Promise<Outcome> {
	const { path, answers, parameters, settings, keyType, signType, purchase } = operation;
	const right = Object.entries(answers).map(([other, answer]): [string, Reply] => [
		other,
		asReply(rightBody(answer)),
	]);
	server.answerWith(new Map([...right, [path, reply]]));
	// Never the same, so that nothing has to wait and nothing is remembered
	const keys = { secretId: uniqueName('id'), secretKey: SECRET_KEY };
	const credentialId = engine.addCredential(credentialData(server.hosts, keys, keyType, signType));
	// One process never takes an order number for two purchases, and every case answers with the same number
	const worker = purchase === API.createorder ? engine.anotherProcess() : engine;
	const begin = performance.now();
	const executionId = uniqueName('execution');
	const result = await worker.run({
		credentialId,
		parameters: parameters as IDataObject,
		settings,
		executionId,
	});
	expect(performance.now() - begin).toBeLessThan(LONGEST_CASE_MS);
	const { calls } = server;
	const sent = calls.filter((call) => call.path === purchase).length;
	expect(sent).toBeLessThanOrEqual(1);
	expect(['success', 'error']).toContain(result.status);
	for (const { pairedItem } of result.items) expect(pairedItem).toEqual({ item: 0 });
	for (const secret of secretsOf(calls)) expect(result.saved).not.toContain(secret);
	return { result, calls, items: result.items.map(({ json }) => json) };
}

/** What must be neither in an error nor anywhere else in the data of the execution. */
function secretsOf(calls: ReplyServer['calls']): string[] {
	const signatures = calls.flatMap(({ parameters }) => parameters.signature ?? []);
	return [SECRET_KEY, SECRET_TOKEN, ORDER_SECRET_KEY, TUNNEL_PASSWORD, ...signatures];
}

/** Codes have words of their own, with which an error begins. */
const OF_CODE = /^['A-Z]/;

function isCodeOfRefusal({ error }: RunResult): boolean {
	const isRefusal = error !== undefined && 'httpCode' in error;
	return isRefusal && Reflect.get(error ?? {}, 'httpCode') !== undefined;
}

/** An item does not have the code, so that it is read in what was answered. */
function hasCodeOfRefusal({ body }: Reply): boolean {
	try {
		const { code }: { code?: unknown } = JSON.parse(body.toString()) ?? {};
		return typeof code === 'number' && code !== 0;
	} catch {
		return false;
	}
}

/** An error, or of "Page: Open" an item that has the same words, and no proxy that was tried. */
function expectFailure(outcome: Outcome, operation: AnsweredOperation, reply: Reply): void {
	const { result, calls, items } = outcome;
	const unopened = toldByUnopened(items);
	if (unopened === undefined) {
		expect(result.status).toBe('error');
		expect(items).toEqual([]);
	}
	const told = unopened ?? toldBy(result);
	const ofCode = unopened === undefined ? isCodeOfRefusal(result) : hasCodeOfRefusal(reply);
	expectClear(told, secretsOf(calls), ofCode ? [OF_CODE] : []);
	if (operation.isSecret === true)
		expect(told.description).not.toContain('The response began with');
}

/** Without the time that is left, which goes by, and the sessions that are made up anew in each run. */
function lasting(value: unknown): unknown {
	if (typeof value === 'string') return value.replace(/-sid-\w{6}/, '-sid-*');
	if (Array.isArray(value)) return value.map(lasting);
	if (typeof value !== 'object' || value === null) return value;
	const all: Record<string, unknown> = { ...value };
	const { secondsLeft: _goesBy, purchasedAt: _now, expiresAt, ...others } = all;
	// That of a proxy is known by the time that is left, that of an order by the service's own
	const kept = 'expire_time' in others ? { ...others, expiresAt } : others;
	return Object.fromEntries(Object.entries(kept).map(([name, inside]) => [name, lasting(inside)]));
}

const operations = fc.constantFrom(...ANSWERED_OPERATIONS);

/** How often the answers of each operation were dressed, broken and changed. */
const tally = new Map<string, number>();

/** A case as it is reported: the name of the operation and what was sent. */
function casesOf(replyFor: (operation: AnsweredOperation) => fc.Arbitrary<Reply>) {
	return operations.chain((operation) => caseOf(operation, replyFor));
}

function caseOf(
	operation: AnsweredOperation,
	replyFor: (operation: AnsweredOperation) => fc.Arbitrary<Reply>,
) {
	return named(
		fc.tuple(fc.constant(operation), replyFor(operation)),
		([{ name }, { shown, body }]) => `${name}: ${shown}: ${body.toString()}`,
	);
}

/** Tries it with such answers, to every operation at least once. */
async function tryAnswers(
	name: 'wholeAnswers' | 'brokenAnswers' | 'changedAnswers',
	replyFor: (operation: AnsweredOperation) => fc.Arbitrary<Reply>,
	check: (operation: AnsweredOperation, reply: Reply) => Promise<void>,
): Promise<void> {
	const property = fc.asyncProperty(casesOf(replyFor), async ([operation, reply]) => {
		await check(operation, reply);
		const met = `${name}: ${operation.name}`;
		tally.set(met, (tally.get(met) ?? 0) + 1);
	});
	const each = ANSWERED_OPERATIONS.map((operation) => caseOf(operation, replyFor));
	await tryOut(
		name,
		property,
		oneOfEach(each).map((one): [typeof one] => [one]),
	);
	const names = ANSWERED_OPERATIONS.map((operation) => `${name}: ${operation.name}`);
	expect(names.filter((met) => !tally.has(met))).toEqual([]);
}

it('every operation, every product and every endpoint has an answer that can be broken', () => {
	const names = ANSWERED_OPERATIONS.map(({ name }) => name);
	const isMet = (operation: string) => names.some((name) => name.startsWith(`${operation}, `));
	expect(OPERATIONS.map(({ name }) => name).filter((name) => !isMet(name))).toEqual([]);
	const products = ANSWERED_OPERATIONS.filter(
		({ parameters: { operation } }) => operation === 'extract',
	).map(({ parameters: { product = 'DPS' } }) => product);
	expect(new Set(products)).toEqual(new Set(PRODUCTS_OF_EXTRACT));
	const paths = [...ANSWERED_OPERATIONS, ...ANSWERED_EVENTS].map(({ path }) => path);
	const called = Object.values(ENDPOINTS).map(({ path }) => path);
	expect(called.filter((path) => !paths.includes(path))).toEqual([]);
});

it.each(ANSWERED_OPERATIONS.map((operation) => [operation.name, operation] as const))(
	'%s gives items when nothing is wrong',
	async (_name, operation) => {
		const outcome = await answered(operation, asReply(rightBody(operation)));
		expect(outcome.result.error).toBeUndefined();
		expect(outcome.items.length).toBeGreaterThan(0);
		expect(outcome.calls.map(({ path }) => path)).toContain(operation.path);
	},
);

it(
	'an answer in another dress gives the same items',
	async () => {
		const plain = new Map<AnsweredOperation, unknown>();
		await tryAnswers('wholeAnswers', wholeReply, async (operation, reply) => {
			if (!plain.has(operation)) {
				const { items } = await answered(operation, asReply(rightBody(operation)));
				plain.set(operation, lasting(items));
			}
			const { items, result } = await answered(operation, reply);
			expect(result.error).toBeUndefined();
			expect(lasting(items)).toEqual(plain.get(operation));
		});
	},
	LONGEST_PROPERTY_MS,
);

it(
	'an answer that is none is an error that says so, and never an item',
	async () => {
		await tryAnswers('brokenAnswers', brokenReply, async (operation, reply) => {
			const outcome = await answered(operation, reply);
			if (operation.canDoWithout === true) {
				expect(outcome.result.error).toBeUndefined();
				const work = operation.purchase ?? operation.path;
				expect(outcome.calls.map(({ path }) => path)).toContain(work);
				return;
			}
			expectFailure(outcome, operation, reply);
			const { purchase, path } = operation;
			if (purchase === undefined) return;
			// What is needed before a purchase, and what is its answer
			const sent = outcome.calls.filter((call) => call.path === purchase).length;
			expect(sent).toBe(path === purchase ? 1 : 0);
		});
	},
	LONGEST_PROPERTY_MS,
);

it(
	'an answer in which something is changed gives what it says, or an error',
	async () => {
		await tryAnswers('changedAnswers', changedReply, async (operation, reply) => {
			const outcome = await answered(operation, reply);
			const isFailure =
				outcome.result.status === 'error' || toldByUnopened(outcome.items) !== undefined;
			if (isFailure) expectFailure(outcome, operation, reply);
			else if (operation.canDoWithout !== true) {
				const hints = outcome.result.hints.map(({ message }) => message);
				expectTruth(operation, outcome.items, reply.body.toString(), hints);
			}
		});
	},
	LONGEST_PROPERTY_MS,
);
