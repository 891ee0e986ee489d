import { pick, seededRandom, type Random } from '../../../sandbox/random.mts';
import type { Fault } from '../../../sandbox/sandbox.mts';
import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { triesAll } from '../../fullMatrices.mts';
import { moveDate } from '../../virtualTime.mts';
import { Poller, type Polled } from '../support/poller.mts';
import type { TestBed } from '../support/testBed.mts';
import { seen } from './monthModel.mts';
import { START, World } from './monthWorld.mts';
import { nameOfOrder, watchesOf, type Watch } from './monthWatches.mts';
import { bed, processClock, warn } from './watching.mts';

/*
 * A month of an account, of which `npm test` has six days. The clock of the service is set before each look,
 * and the clock of the pace jumps from look to look; the sandbox's own pace checks are off.
 *
 * Looks happen at full minutes and orders end in the middle of minutes, so that it never depends on
 * the seconds that a look takes whether something belongs to it.
 */

const MONTH = 30;
const DAYS = triesAll ? MONTH : 6;

/** What happens so often in a month happens at least so often in the days that are tried. */
const inDays = (inMonth: number) => Math.max(1, Math.floor((0.5 * inMonth * DAYS) / MONTH));

/** Orders that were told are remembered until they end. */
const LARGEST_STATE = 8000;

/** Where nothing answers. */
const NOWHERE = { baseUrl: 'http://127.0.0.1:1', dpsUrl: 'http://127.0.0.1:1' };

type Outage = 'refused' | Fault;

/** No outage but an answer that cannot be read: each look that meets it is an execution that failed. */
const LASTING: Outage = { kind: 'halfBody' };

const OUTAGES: readonly Outage[] = [
	'refused',
	{ kind: 'status', status: 502 },
	{ kind: 'halfBody', promise: 'full' },
	{ kind: 'code', code: -109 },
	LASTING,
];

/** For a single look: the node tries several times, and waits in between. */
const TOO_FAST: Outage = { kind: 'code', code: -120 };

/** One workflow, and what it has told. */
class Watching {
	readonly told: string[] = [];
	failedLooks = 0;
	largestState = 0;
	/** Until then it is not active. */
	idleUntil = 0;
	private readonly poller: Poller;
	private wasEverActive = false;
	/** What the process knows: the last answer, or the first failure, and the failure that showed. */
	private silence: { since: number; shownAt?: number } | undefined;

	constructor(
		private readonly bed: TestBed,
		readonly watch: Watch,
	) {
		const { keyType, keys, parameters } = watch;
		const credentialId = bed.addCredential(keys, { keyType });
		this.poller = new Poller(bed.engine, { parameters, credentialId });
	}

	crash(): void {
		this.poller.crash();
		this.silence = undefined;
		this.watch.model.crashed();
	}

	deactivate(): void {
		if (!this.poller.isActive) return;
		this.poller.deactivate();
		this.watch.model.saved?.();
	}

	async look(now: number, outage: Outage | undefined, overlaps: boolean): Promise<void> {
		const fails = outage !== undefined && this.isHitBy(outage, now);
		if (outage === 'refused') this.edit(NOWHERE);
		warn.mockClear();
		const isFirst = !this.wasEverActive;
		const isStart = !this.poller.isActive;
		const polls = overlaps && !isStart ? 2 : 1;
		const work = Array.from({ length: polls }, async () => {
			moveDate(now - Date.now());
			processClock.advance(2000);
			return isStart ? await this.poller.activate() : await this.poller.poll();
		});
		const outcomes = await Promise.allSettled(work);
		this.edit(this.bed.sandbox.hosts);

		const rejected = outcomes.filter(({ status }) => status === 'rejected');
		// Before the first success every failure is
		const isLoud = isFirst || outage === LASTING;
		const shown = fails && !isLoud && this.isSilentTooLong() ? 1 : 0;
		expect(rejected).toHaveLength(fails && isLoud ? polls : shown);
		expect(warn.mock.calls).toHaveLength(fails && !isLoud ? polls - shown : 0);
		if (!fails) this.silence = { since: performance.now() };
		const told = outcomes.flatMap((outcome) =>
			outcome.status === 'fulfilled' ? this.namesOf(outcome.value) : [],
		);
		this.told.push(...told);
		if (fails) this.failedLooks += 1;
		else this.wasEverActive = true;
		expect(told.sort()).toEqual(fails ? [] : this.watch.model.look(now).sort());
		if (isStart && !fails) this.watch.model.saved?.();
		this.largestState = Math.max(this.largestState, this.poller.state.length);
	}

	/** After three hours, and once a day from then on. */
	private isSilentTooLong(): boolean {
		const now = performance.now();
		const { since, shownAt = since - 21 * HOUR } = this.silence ?? { since: now };
		const isDue = now - shownAt >= DAY - MINUTE;
		this.silence = { since, shownAt: isDue ? now : this.silence?.shownAt };
		return isDue;
	}

	private isHitBy(outage: Outage, now: number): boolean {
		const { ownOrder } = this.watch;
		// The service refuses a key pair before it finds itself out of order
		const isInside = outage !== 'refused' && outage.kind === 'code';
		return !(isInside && ownOrder !== undefined && seen(ownOrder, now)[0].hasEnded);
	}

	private edit(hosts: Partial<TestBed['sandbox']['hosts']>): void {
		this.bed.engine.credentials.edit(this.poller.settings.credentialId, hosts);
	}

	private namesOf(polled: Polled): string[] {
		return (polled ?? []).map(({ json }) => this.watch.nameOf(json));
	}
}

/** What goes wrong, and until when. */
class Troubles {
	private outage: Outage | undefined;
	private outageUntil = 0;
	private singleLook = false;

	constructor(private readonly random: Random) {}

	outageAt(now: number): Outage | undefined {
		if (this.singleLook || now >= this.outageUntil) this.outage = undefined;
		if (this.outage !== undefined) return this.outage;
		this.singleLook = this.random() < 0.003;
		if (this.singleLook) {
			this.outage = TOO_FAST;
		} else if (this.random() < 0.02) {
			this.outage = pick(OUTAGES, this.random);
			this.outageUntil = now + pick([0.1, 2, 8, 24], this.random) * HOUR;
		}
		return this.outage;
	}

	/** In an order that gives each a turn. */
	nextPause(): number {
		return pick([0, 1, 6, 30], this.random) * HOUR;
	}
}

describe.each([20_260_301])('a month with the seed %d', (seed) => {
	let watchings: Watching[];
	let crashes = 0;
	let deactivations = 0;

	beforeAll(async () => {
		const random = seededRandom(seed);
		const troubles = new Troubles(random);
		const world = new World(bed(), random);
		const { faults } = bed().sandbox;
		watchings = watchesOf(world).map((watch) => new Watching(bed(), watch));

		const end = START + DAYS * DAY;
		for (let now = START; now < end; ) {
			world.change(now);
			const outage = troubles.outageAt(now);
			faults.clear();
			if (outage !== undefined && outage !== 'refused') faults.add(outage);
			if (random() < 0.02) {
				crashes += 1;
				const pause = troubles.nextPause();
				for (const watching of watchings) {
					// A renewal that only the memory knew would be lost with the key pair of an order
					if (watching.watch.ownOrder !== undefined) watching.deactivate();
					else watching.crash();
					watching.idleUntil = now + pause;
				}
			}
			for (const watching of watchings) {
				if (random() < 0.01) {
					deactivations += 1;
					watching.deactivate();
					watching.idleUntil = now + troubles.nextPause();
				}
				const overlaps = random() < 0.005;
				if (now >= watching.idleUntil) await watching.look(now, outage, overlaps);
			}
			const step = Math.ceil(random() * 120) * MINUTE;
			now += step;
			processClock.advance(step);
		}
	}, 600_000);

	it('has all that can go wrong', () => {
		expect(crashes).toBeGreaterThan(inDays(7));
		expect(deactivations).toBeGreaterThan(inDays(20));
		for (const { failedLooks } of watchings) expect(failedLooks).toBeGreaterThan(inDays(27));
	});

	it.each([
		['orders expiring', 150],
		['tunnels expiring', 30],
		['orders expired', 100],
		['account balance', 8],
		['IP balance', 8],
		['own order expiring', 4],
		['own order expired', 4],
	])('tells of %s what there is, at least %d times a month', (name, count) => {
		const told = watchings.find(({ watch }) => watch.name === name)?.told ?? [];
		expect(told.length).toBeGreaterThanOrEqual(inDays(count));
	});

	it('tells no order and expiry twice', () => {
		for (const { watch, told } of watchings) {
			if (watch.nameOf === nameOfOrder && !watch.remindsAgain)
				expect(new Set(told).size).toBe(told.length);
		}
	});

	it('remembers little', () => {
		for (const { largestState } of watchings) {
			expect(largestState).toBeGreaterThan(0);
			expect(largestState).toBeLessThan(LARGEST_STATE);
		}
	});
});
