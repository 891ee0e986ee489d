import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../harness/credentials.mts';
import { Engine, type RunResult } from '../engine/support/engine.mts';
import { uniqueName } from '../engine/support/testBed.mts';
import { TUNNEL_PASSWORD } from '../operations/common.mts';
import { ORDER_SECRET_KEY, SECRET_TOKEN } from '../operations/helperEndpoints.mts';
import { ANSWERED_OPERATIONS, type AnsweredOperation } from './answeredOperations.mts';
import { brokenReply, rightBody, wholeReply, type Reply } from './brokenAnswers.mts';
import { LONGEST_PROPERTY_MS, tryOut } from './cases.mts';
import { changedReply } from './changedAnswers.mts';
import { expectClear, toldBy } from './clearError.mts';
import { startReplyServer, type AnsweredCall, type ReplyServer } from './replyServer.mts';
import { expectTruth } from './truth.mts';
import { expectPrototypesUntouched } from './untouched.mts';

const SECRET_KEY = 'the-secret-key-of-the-credential';
/** In virtual time: a whitelist that is still being changed is asked again for 90 seconds. */
const LONGEST_CASE_MS = 120_000;

const engine = new Engine();
let server: ReplyServer;
beforeAll(async () => {
	server = await startReplyServer();
});
afterAll(async () => await server.close());
afterEach(expectPrototypesUntouched);

function asReply(body: string): Reply {
	return { status: 200, headers: {}, body: Buffer.from(body), cut: false, shown: 'right' };
}

interface Outcome {
	readonly result: RunResult;
	readonly calls: readonly AnsweredCall[];
	readonly items: IDataObject[];
}

/** Runs an operation while one of the answers is as given, and all others are right. */
async function answered(operation: AnsweredOperation, reply: Reply): Promise<Outcome> {
	const { path, answers, parameters, keyType, signType } = operation;
	const right = Object.entries(answers).map(([other, answer]): [string, Reply] => [
		other,
		asReply(rightBody(answer)),
	]);
	server.answerWith(new Map([...right, [path, reply]]));
	// Never the same, so that nothing has to wait and nothing is remembered
	const keys = { secretId: uniqueName('id'), secretKey: SECRET_KEY };
	const credentialId = engine.addCredential(credentialData(server.hosts, keys, keyType, signType));
	const begin = performance.now();
	const executionId = uniqueName('execution');
	const result = await engine.run({
		credentialId,
		parameters: parameters as IDataObject,
		executionId,
	});
	expect(performance.now() - begin).toBeLessThan(LONGEST_CASE_MS);
	const { calls } = server;
	const { purchase } = operation;
	const sent = calls.filter((call) => call.path === purchase).length;
	expect(sent).toBeLessThanOrEqual(1);
	expect(['success', 'error']).toContain(result.status);
	for (const { pairedItem } of result.items) expect(pairedItem).toEqual({ item: 0 });
	for (const secret of secretsOf(calls)) expect(result.saved).not.toContain(secret);
	return { result, calls, items: result.items.map(({ json }) => json) };
}

/** What must be neither in an error nor anywhere else in the data of the execution. */
function secretsOf(calls: readonly AnsweredCall[]): string[] {
	const signatures = calls.flatMap(({ parameters }) => parameters.signature ?? []);
	return [SECRET_KEY, SECRET_TOKEN, ORDER_SECRET_KEY, TUNNEL_PASSWORD, ...signatures];
}

function expectFailure({ result, calls, items }: Outcome, operation: AnsweredOperation): void {
	expect(result.status).toBe('error');
	expect(items).toEqual([]);
	const told = toldBy(result);
	// Codes have words of their own
	const isRefusal = result.error !== undefined && 'httpCode' in result.error;
	const ofCode = isRefusal && Reflect.get(result.error ?? {}, 'httpCode') !== undefined;
	expectClear(told, secretsOf(calls), ofCode ? [/^['A-Z]/] : []);
	if (operation.isSecret === true)
		expect(told.description).not.toContain('The response began with');
}

/** Without the time that is left, which goes by. */
function lasting(items: readonly IDataObject[]): IDataObject[] {
	return items.map(({ secondsLeft: _goesBy, ...others }) => others);
}

const operations = fc.constantFrom(...ANSWERED_OPERATIONS);

/** A case as it is reported: the name of the operation and what was sent. */
function casesOf(replyFor: (operation: AnsweredOperation) => fc.Arbitrary<Reply>) {
	return operations.chain((operation) => fc.tuple(fc.constant(operation), replyFor(operation)));
}

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
		const plain = new Map<AnsweredOperation, IDataObject[]>();
		const property = fc.asyncProperty(casesOf(wholeReply), async ([operation, reply]) => {
			if (!plain.has(operation)) {
				const { items } = await answered(operation, asReply(rightBody(operation)));
				plain.set(operation, lasting(items));
			}
			const { items, result } = await answered(operation, reply);
			expect(result.error).toBeUndefined();
			expect(lasting(items)).toEqual(plain.get(operation));
		});
		await tryOut('wholeAnswers', property);
	},
	LONGEST_PROPERTY_MS,
);

it(
	'an answer that is none is an error that says so, and never an item',
	async () => {
		const property = fc.asyncProperty(casesOf(brokenReply), async ([operation, reply]) => {
			const outcome = await answered(operation, reply);
			if (operation.canDoWithout === true) {
				expect(outcome.result.error).toBeUndefined();
				const work = operation.purchase ?? operation.path;
				expect(outcome.calls.map(({ path }) => path)).toContain(work);
				return;
			}
			expectFailure(outcome, operation);
			const { purchase, path } = operation;
			if (purchase === undefined) return;
			// What is needed before a purchase, and what is its answer
			const sent = outcome.calls.filter((call) => call.path === purchase).length;
			expect(sent).toBe(path === purchase ? 1 : 0);
		});
		await tryOut('brokenAnswers', property);
	},
	LONGEST_PROPERTY_MS,
);

it(
	'an answer in which something is changed gives what it says, or an error',
	async () => {
		const property = fc.asyncProperty(casesOf(changedReply), async ([operation, reply]) => {
			const outcome = await answered(operation, reply);
			if (outcome.result.status === 'error') expectFailure(outcome, operation);
			else if (operation.canDoWithout !== true) {
				expectTruth(operation, outcome.items, reply.body.toString());
			}
		});
		await tryOut('changedAnswers', property);
	},
	LONGEST_PROPERTY_MS,
);
