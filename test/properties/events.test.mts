import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../harness/credentials.mts';
import { n8nLogger } from '../engine/support/n8nLogger.mts';
import { type Polled, Poller } from '../engine/support/poller.mts';
import { useWorkbench } from '../engine/support/workbench.mts';
import { TUNNEL_PASSWORD } from '../operations/common.mts';
import {
	DESCRIBED_EVENTS,
	type FieldPath,
	fieldPaths,
	pathText,
} from '../operations/described.mts';
import { ORDER_SECRET_KEY } from '../operations/helperEndpoints.mts';
import { EVENT_WAYS, type EventWay } from '../operations/index.mts';
import { parametersOfEvent, worldOfEvent } from '../operations/outcome.mts';
import { uniqueName } from '../uniqueName.mts';
import { ANSWERED_EVENTS, type AnsweredEvent } from './answeredEvents.mts';
import { brokenReply } from './brokenAnswers.mts';
import { LONGEST_PROPERTY_MS, named, oneOfEach, tryOut } from './cases.mts';
import { changedReply } from './changedAnswers.mts';
import { expectClear, REFUSED_HERE } from './clearError.mts';
import { hostileParameter } from './hostileValues.mts';
import { asReply, type Reply, rightBody } from './reply.mts';
import { type ReplyServer, startReplyServer } from './replyServer.mts';
import { expectPrototypesUntouched } from './untouched.mts';
import { wholeReply } from './wholeAnswers.mts';

const SECRET_KEY = 'the-secret-key-of-the-credential';
const SECRETS = [SECRET_KEY, ORDER_SECRET_KEY, TUNNEL_PASSWORD];

const { bed } = useWorkbench({ rateLimits: false });
let server: ReplyServer;
beforeAll(async () => {
	server = await startReplyServer();
});
afterAll(async () => await server.close());
afterEach(expectPrototypesUntouched);

jest.spyOn(n8nLogger, 'warn').mockImplementation(() => undefined);

/** How often each event met what. */
const tally = new Map<string, number>();

function count(what: string): void {
	tally.set(what, (tally.get(what) ?? 0) + 1);
}

/** n8n itself could not work out the value: a trigger has no input. */
const OF_N8N =
	/^(?:No execution data available|this is a function, please add \(\)|Referenced node doesn't exist|Node '.*' hasn't been executed)/;

function expectItems(polled: Polled, event: string): void {
	for (const { json } of polled ?? []) {
		expect(json.event).toBe(event);
		for (const secret of SECRETS) expect(JSON.stringify(json)).not.toContain(secret);
	}
}

type Outcome = { readonly polled: Polled } | { readonly failure: Error };

async function outcomeOf(polling: Promise<Polled>): Promise<Outcome> {
	return await polling.then(
		(polled): Outcome => ({ polled }),
		(error: unknown): Outcome => ({
			failure: error instanceof Error ? error : new Error(String(error)),
		}),
	);
}

const NOTHING = [
	/^There is no .+$/,
	/^The account has no order to test this with$/,
	/^The account has no .+$/,
];

/** A failure of a trigger says what happened and what to do, in words of the node. */
function expectOwnWords(failure: Error, secrets: readonly string[]): void {
	expect(['NodeApiError', 'NodeOperationError']).toContain(failure.name);
	const description = String(Reflect.get(failure, 'description') ?? '');
	// Codes have words of their own
	const ofCode = Reflect.get(failure, 'httpCode') ? [/^['A-Z]/] : [];
	expectClear({ message: failure.message, description }, secrets, [...ofCode, ...NOTHING]);
}

interface Case {
	readonly way: EventWay;
	readonly path: FieldPath;
	readonly value: { readonly parameter: unknown; readonly shown: string };
}

function pathsOf({ row }: EventWay): FieldPath[] {
	const described = DESCRIBED_EVENTS.find(({ event }) => event === row.event);
	return [{ name: 'event', displayName: 'Event' }, ...fieldPaths(described?.properties ?? [])];
}

const spoiledEvent = (way: EventWay, path: FieldPath): fc.Arbitrary<Case> =>
	named<Case>(
		fc.record({ way: fc.constant(way), path: fc.constant(path), value: hostileParameter }),
		({ value: { shown } }) => `${way.name}: ${pathText(path)} ${shown}`,
	);

function spoil(
	parameters: IDataObject,
	{ collection, name }: FieldPath,
	value: unknown,
): IDataObject {
	if (collection === undefined) return { ...parameters, [name]: value } as IDataObject;
	const inside = parameters[collection];
	return {
		...parameters,
		[collection]: { ...(inside as IDataObject), [name]: value },
	} as IDataObject;
}

it(
	'events happen as the fields say, or what is wrong with them is said',
	async () => {
		const each = EVENT_WAYS.flatMap((way) => pathsOf(way).map((path) => spoiledEvent(way, path)));
		const property = fc.asyncProperty(fc.oneof(...each), async ({ way, path, value }) => {
			bed().sandbox.log.clear();
			const world = worldOfEvent(way, bed().sandbox);
			const fields = parametersOfEvent(way, world) as IDataObject;
			const poller = new Poller(bed().engine, {
				parameters: spoil(fields, path, value.parameter),
				credentialId: bed().addCredential(world.keys, { keyType: way.by }),
			});
			const outcome = await outcomeOf(poller.tryOut());
			count(`${way.name}: ${pathText(path)}`);
			if ('polled' in outcome) {
				count('happened');
				const [first] = outcome.polled ?? [];
				expect(first?.json.test).toBe(true);
				expectItems(outcome.polled, String(first?.json.event));
				return;
			}
			const { failure } = outcome;
			if (OF_N8N.test(failure.message)) {
				expect(world.requests()).toEqual([]);
				return;
			}
			expectOwnWords(
				failure,
				[world.account, world.order ?? world].map(({ keys }) => keys.secretKey),
			);
			if (!REFUSED_HERE.test(failure.message)) return;
			count('refused here');
			expect(world.requests()).toEqual([]);
		});
		await tryOut(
			'parametersOfEvents',
			property,
			oneOfEach<Case>(each).map((one) => [one]),
		);
		const fields = EVENT_WAYS.flatMap((way) =>
			pathsOf(way).map((path) => `${way.name}: ${pathText(path)}`),
		);
		expect(fields.filter((field) => !tally.has(field))).toEqual([]);
		expect(tally.get('happened')).toBeGreaterThan(20);
		expect(tally.get('refused here')).toBeGreaterThan(50);
	},
	LONGEST_PROPERTY_MS,
);

/** What is wrong with the answer that a case breaks. */
const KINDS = { whole: wholeReply, broken: brokenReply, changed: changedReply } as const;
type Kind = keyof typeof KINDS;

interface AnswerCase {
	readonly event: AnsweredEvent;
	readonly kind: Kind;
	readonly reply: Reply;
}

function answerWith({ answers, path }: AnsweredEvent, reply?: Reply): void {
	const right = Object.entries(answers).map(([other, answer]): [string, Reply] => [
		other,
		asReply(rightBody(answer)),
	]);
	server.answerWith(new Map(reply === undefined ? right : [...right, [path, reply]]));
}

function pollerOf({ parameters, keyType }: AnsweredEvent): Poller {
	const keys = { secretId: uniqueName('id'), secretKey: SECRET_KEY };
	const credentialId = bed().engine.addCredential(credentialData(server.hosts, keys, keyType));
	return new Poller(bed().engine, { parameters: parameters as IDataObject, credentialId });
}

function secretsSent(): string[] {
	return [...SECRETS, ...server.calls.flatMap(({ parameters }) => parameters.signature ?? [])];
}

async function checkTrial({ event, kind, reply }: AnswerCase): Promise<void> {
	answerWith(event, reply);
	const outcome = await outcomeOf(pollerOf(event).tryOut());
	expect(server.calls.map(({ path }) => path)).toContain(event.path);
	if ('failure' in outcome) {
		expect(kind).not.toBe('whole');
		expectOwnWords(outcome.failure, secretsSent());
		return;
	}
	expect(kind).not.toBe('broken');
	expectItems(outcome.polled, event.event);
}

/** A bad answer between two good ones starts nothing, and nothing is forgotten by it. */
async function checkPolls({ event, kind, reply }: AnswerCase): Promise<void> {
	answerWith(event);
	const poller = pollerOf(event);
	expectItems(await poller.activate(), event.event);
	const before = poller.state;
	answerWith(event, reply);
	const outcome = await outcomeOf(poller.poll());
	if ('failure' in outcome) {
		expect(kind).not.toBe('whole');
		expectOwnWords(outcome.failure, secretsSent());
	} else if (kind === 'changed') {
		expectItems(outcome.polled, event.event);
	} else {
		expect(outcome.polled).toBeNull();
	}
	answerWith(event);
	if (kind === 'changed') {
		expectItems(await poller.poll(), event.event);
		return;
	}
	const remembered = 'failure' in outcome ? JSON.parse : withoutPollTime;
	expect(remembered(poller.state)).toEqual(remembered(before));
	expect(await poller.poll()).toBeNull();
}

/** What is remembered of orders and balances. When it was last asked moves on with each answer that could be read. */
function withoutPollTime(state: string): unknown {
	return JSON.parse(state, (name, value: unknown) => (name === 'polledAt' ? undefined : value));
}

it(
	'an answer to an event starts nothing that it does not say, whatever is wrong with it',
	async () => {
		const caseOf = (event: AnsweredEvent, kind: Kind): fc.Arbitrary<AnswerCase> =>
			named<AnswerCase>(
				KINDS[kind](event).map((reply) => ({ event, kind, reply })),
				({ reply }) => `${event.name}: ${kind}, ${reply.shown}: ${reply.body.toString()}`,
			);
		const kinds: readonly Kind[] = ['whole', 'broken', 'changed'];
		const each = ANSWERED_EVENTS.flatMap((event) => kinds.map((kind) => caseOf(event, kind)));
		const property = fc.asyncProperty(fc.oneof(...each), async (one) => {
			await checkTrial(one);
			await checkPolls(one);
			count(`${one.kind}: ${one.event.name}`);
		});
		await tryOut(
			'answersToEvents',
			property,
			oneOfEach(each).map((one) => [one]),
		);
		const names = ANSWERED_EVENTS.flatMap(({ name }) => kinds.map((kind) => `${kind}: ${name}`));
		expect(names.filter((name) => !tally.has(name))).toEqual([]);
	},
	LONGEST_PROPERTY_MS,
);
