import { expect, expectEqual } from '../../harness/checks/expectations.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import type { LoggedRequest } from '../../sandbox/sandbox.mts';
import type { Lane } from './lanes.mts';
import { heapTrend, mostAtTheEnd, type MemorySample } from './memory.mts';
import {
	allowedInWindow,
	callsByKeyAndPath,
	INTERVALS_MS,
	isByStall,
	mostInWindow,
} from './pace.mts';
import { TOKEN_LIFE_S, type SoakSession } from './session.mts';
import type { Stall } from './stalls.mjs';

const TOKENS = '/api/get_secret_token';
const TOKEN_EXPIRED = -107;

/** Before that, n8n is still loading and compiling, and a trend would say nothing. */
const SHORTEST_JUDGED_S = 600;

export interface Soak {
	readonly session: SoakSession;
	readonly lanes: readonly Lane[];
	readonly samples: readonly MemorySample[];
	/** When n8n or this program got no processor time. */
	readonly stalls: readonly Stall[];
	readonly seconds: number;
	readonly say: (line: string) => void;
}

export const work: CheckGroup<Soak> = {
	name: 'Work',
	async run({ lanes, session: { sandbox }, seconds }, check) {
		for (const { name, done, failures } of lanes) {
			await check(`${name}: ${done} items, none failed`, () => {
				expect(failures.length === 0, `${failures.length} or more runs failed: ${failures[0]}`);
				expect(done > 0, 'nothing was done');
			});
		}
		await check('Each order was paid once, and renewed once', () => {
			const bought = lanes.find(({ name }) => name.startsWith('Order: Create'))?.done ?? 0;
			expectEqual(sandbox.ledger.count('create'), bought / 2, 'the number of orders');
			expectEqual(sandbox.ledger.count('renew'), bought / 2, 'the number of renewals');
		});
		const calls = sandbox.log.count('/api/getproxy');
		const allowed = (seconds * 1000) / (INTERVALS_MS.get('/api/getproxy') ?? 1);
		await check(
			`Extractions came at ${((calls / allowed) * 100).toFixed(0)} % of the allowed rate (${calls} calls)`,
			() => expect(calls > allowed / 2, 'that is too little to prove anything about the pace'),
		);
	},
};

export const pace: CheckGroup<Soak> = {
	name: 'Pace',
	async run({ session: { sandbox }, stalls, say }, check) {
		const requests = sandbox.log.entries();
		const refused = sandbox.log.refusals();
		const unexplained = refused.filter((request) => !isByStall(request, stalls));
		if (refused.length > unexplained.length) {
			say(
				`        The machine was too busy ${stalls.length} times, and ${refused.length - unexplained.length} calls came too early to the service because of it.`,
			);
		}
		await check(`Of ${requests.length} calls, the service found none too fast`, () => {
			const [first] = unexplained;
			expect(unexplained.length === 0, `it refused ${unexplained.length}, first ${first?.path}`);
		});
		await check('No ten seconds hold more calls than the limits allow', () => {
			const accepted = requests.filter(({ refusedByRateLimit }) => !refusedByRateLimit);
			for (const [name, calls] of callsByKeyAndPath(accepted)) {
				const interval = INTERVALS_MS.get(calls[0].path);
				if (interval === undefined) throw new Error(`${name} was not expected`);
				const most = mostInWindow(calls);
				expect(most <= allowedInWindow(interval), `${name} had ${most} calls`);
			}
		});
		await check('The service answered all others with success', () => {
			const wrong = requests.filter(
				({ code, refusedByRateLimit }) => code !== 0 && !refusedByRateLimit,
			);
			const first = `${wrong[0]?.path}: ${wrong[0]?.code}`;
			expect(wrong.length === 0, `${wrong.length} it did not, the first one ${first}`);
		});
	},
};

function longestGapSeconds(fetches: readonly LoggedRequest[]): number {
	const gaps = fetches.slice(1).map(({ arrival }, index) => arrival - fetches[index].arrival);
	return Math.max(0, ...gaps) / 1000;
}

export const tokens: CheckGroup<Soak> = {
	name: 'Tokens',
	async run({ session: { sandbox }, seconds }, check) {
		const { keys, log } = sandbox;
		for (const { secretId } of [keys.account, keys.opsSvip, keys.tps]) {
			const fetches = log
				.entries(TOKENS)
				.filter(({ parameters }) => parameters.secret_id === secretId);
			const gap = longestGapSeconds(fetches);
			await check(
				`${secretId} got ${fetches.length} tokens, the next one after ${gap.toFixed(1)} s at most`,
				() => {
					const fewest = Math.floor(seconds / TOKEN_LIFE_S);
					expect(fetches.length >= fewest, `there should be ${fewest} or more`);
					expect(fetches.length <= 2 * fewest + 2, 'that is more often than is needed');
				},
			);
		}
		await check('No call came with a token that had ended', () => {
			const late = log.entries().filter(({ code }) => code === TOKEN_EXPIRED);
			expectEqual(late.length, 0, 'the number of such calls');
		});
	},
};

export const memory: CheckGroup<Soak> = {
	name: 'Memory',
	async run({ samples, seconds, say, session }, check) {
		await check('n8n ran to the end', () => expect(session.server.isRunning(), 'it is gone'));
		if (seconds < SHORTEST_JUDGED_S) {
			say('        The memory is not judged: the run was too short for that.');
			return;
		}
		const trend = heapTrend(samples);
		const { secondQuarter, lastQuarter, megabytesPerHour } = trend;
		await check(
			`The heap of n8n is flat: ${secondQuarter.toFixed(1)} MB in the second quarter, ${lastQuarter.toFixed(1)} MB in the last one, ${megabytesPerHour.toFixed(1)} MB per hour (${samples.length} samples after a collection)`,
			() => {
				const most = mostAtTheEnd(trend);
				expect(lastQuarter <= most, `${most.toFixed(1)} MB would have been flat`);
			},
		);
	},
};
