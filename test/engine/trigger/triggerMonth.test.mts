import type { IDataObject } from 'n8n-workflow';
import { statusOf } from '../../../sandbox/accounts/order.mts';
import { pick, type Random, seededRandom } from '../../../sandbox/random.mts';
import {
	type Account,
	addManyOrders,
	type Fault,
	type KeyPair,
	newDedicatedProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type Order,
} from '../../../sandbox/sandbox.mts';
import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { triesAll } from '../../fullMatrices.mts';
import { moveDate } from '../../virtualTime.mts';
import { type Polled, Poller } from '../support/poller.mts';
import { type TestBed, uniqueName } from '../support/testBed.mts';
import { bed, processClock, warn } from './watching.mts';

const WINDOW = 3 * DAY;

/** An order as somebody who looks at the sandbox sees it. */
interface Seen {
	readonly orderId: string;
	/** In whole seconds, as the service writes it. */
	readonly expiry: number;
	readonly hasEnded: boolean;
}

/** What has to be told, from the state of the sandbox alone. */
interface Model {
	/** At each look that gets an answer: the names of what is told. */
	look(now: number): string[];
	crashed(): void;
	/** n8n saves what the trigger remembers whenever it tells something, and when this is called. */
	saved?(): void;
}

function seen(order: Order, now: number): Seen[] {
	const status = statusOf(order, new Date(now));
	if (order.expiresAt === undefined || !['VALID', 'EXPIRED'].includes(status)) return [];
	const expiry = Math.floor(order.expiresAt.getTime() / 1000) * 1000;
	return [{ orderId: order.orderId, expiry, hasEnded: status === 'EXPIRED' }];
}

/** What the key pair of an order shows: nothing of it after its end but what was seen before. */
function seenWithOwnKeys(order: Order): (now: number) => Seen[] {
	let last: Seen | undefined;
	return (now) => {
		const [state] = seen(order, now);
		last = state.hasEnded ? last && { ...last, hasEnded: true } : state;
		return last === undefined ? [] : [last];
	};
}

function nameOf(orderId: unknown, expiry: number): string {
	return `${String(orderId)} ${new Date(expiry).toISOString()}`;
}

/** A reminder may come so much earlier, because polls are not exact. */
const REMINDER_TOLERANCE = 10 * MINUTE;

/** What ended longer ago is told no more. */
const NEWS = 7 * DAY;

/** What is known of an order from its entry into the window on. */
interface Stay {
	readonly expiry: number;
	readonly toldAt: number;
}

/**
 * Each order that enters the window, and again after so many hours while it stays there; once for 0. What
 * entered and ended between two looks is told as well.
 */
function expiringModel(look: (now: number) => Seen[], remindEvery: number): Model {
	let stays = new Map<string, Stay>();
	let lastLook: number | undefined;
	let saved = { stays, lastLook };
	const save = () => {
		saved = { stays: new Map(stays), lastLook };
	};

	function isTold({ orderId, expiry, hasEnded }: Seen, now: number): boolean {
		const stay = stays.get(orderId);
		const since = lastLook ?? Infinity;
		const isFirst = stay === undefined || (stay.expiry !== expiry && expiry - WINDOW > since);
		if (hasEnded || expiry <= now) return isFirst && expiry > since && now - expiry <= NEWS;
		if (expiry - WINDOW > now) {
			stays.delete(orderId);
			return false;
		}
		const isDue =
			stay !== undefined &&
			remindEvery > 0 &&
			now - stay.toldAt >= remindEvery * HOUR - REMINDER_TOLERANCE;
		if (stay !== undefined && !isFirst && !isDue) stays.set(orderId, { ...stay, expiry });
		return isFirst || isDue;
	}

	return {
		look(now) {
			const told = look(now).filter((order) => isTold(order, now));
			for (const { orderId, expiry } of told) stays.set(orderId, { expiry, toldAt: now });
			lastLook = now;
			for (const [orderId, { expiry }] of stays) if (expiry <= now) stays.delete(orderId);
			if (told.length > 0) save();
			return told.map(({ orderId, expiry }) => nameOf(orderId, expiry));
		},
		crashed() {
			stays = new Map(saved.stays);
			lastLook = saved.lastLook;
		},
		saved: save,
	};
}

/** Each end once, and none from before the first look. */
function expiredModel(look: (now: number) => Seen[]): Model {
	let known: Set<string> | undefined;
	return {
		look(now) {
			const names = look(now)
				.filter(({ hasEnded }) => hasEnded)
				.map(({ orderId, expiry }) => nameOf(orderId, expiry));
			const fresh = known === undefined ? [] : names.filter((name) => !known?.has(name));
			known = new Set([...(known ?? []), ...names]);
			return fresh;
		},
		crashed: () => undefined,
	};
}

/** Each time that the value falls below the line. */
function crossingModel(valueOf: () => number, line: number): Model {
	let isBelow = false;
	return {
		look() {
			const wasBelow = isBelow;
			isBelow = valueOf() < line;
			return isBelow && !wasBelow ? [String(valueOf())] : [];
		},
		// What was not saved is not known, so it is told once more
		crashed() {
			isBelow = false;
		},
	};
}

const HALF_MINUTE = MINUTE / 2;

const START = Date.parse('2026-03-01T00:00:00Z');

/** A time in the middle of a minute. */
function midMinute(time: number): Date {
	return new Date(Math.floor(time / MINUTE) * MINUTE + HALF_MINUTE);
}

/** The account, and what happens to it. */
class World {
	readonly account: Account;
	/** Seen with their own key pairs, and so never out of use for another reason than their end. */
	readonly ownOrders: Order[];
	readonly ipOrder: ReturnType<typeof newPrivateProxyOrder>;
	private readonly orders: Order[];

	constructor(
		private readonly bed: TestBed,
		private readonly random: Random,
	) {
		const { store } = bed.sandbox;
		const start = new Date(START);
		this.account = bed.newAccount({ balanceInFen: 150_00 });
		this.orders = addManyOrders(store, this.account, start, {
			count: 200,
			fromDay: -2,
			toDay: 45,
		});
		for (const order of this.orders) {
			if (order.expiresAt) order.expiresAt = midMinute(order.expiresAt.getTime());
		}
		const other = bed.newAccount();
		const ends = (day: number) => ({ expiresAt: midMinute(START + day * DAY) });
		this.ownOrders = [
			store.addOrder(newDedicatedProxyOrder(uniqueName('own'), other, start, ends(5))),
			store.addOrder(newTunnelProxyOrder(uniqueName('own'), other, start, ends(2))),
		];
		this.ipOrder = store.addOrder(
			newPrivateProxyOrder(uniqueName('ips'), other, start, {
				...ends(1000),
				payType: 'PRE_PAY_IP',
				ipBalance: 100,
			}),
		);
	}

	seen(now: number): Seen[] {
		return this.orders.flatMap((order) => seen(order, now));
	}

	seenOf(product: string): (now: number) => Seen[] {
		return (now) =>
			this.orders.filter((order) => order.product === product).flatMap((order) => seen(order, now));
	}

	/** What happened shortly before. */
	change(now: number): void {
		if (this.happens(0.12)) this.renew(pick(this.orders, this.random), now);
		if (this.happens(0.12)) {
			// Those about to end, and those that did
			const near = this.orders.filter(({ expiresAt }) => {
				const left = (expiresAt?.getTime() ?? Infinity) - now;
				return left > -DAY && left < WINDOW;
			});
			if (near.length > 0) this.renew(pick(near, this.random), now);
		}
		if (this.happens(0.1)) this.buy(now);
		if (this.happens(0.01)) {
			const order = pick(this.orders, this.random);
			if (statusOf(order, new Date(now)) === 'VALID') order.status = 'FORBIDDEN';
		}
		for (const order of this.ownOrders) {
			const left = (order.expiresAt?.getTime() ?? 0) - now;
			// Soon again, so that there is something to tell of it
			if (this.happens(left > 0 ? 0.002 : 0.1)) this.renew(order, now, [1, 2, 4]);
		}
		this.spend();
	}

	private happens(probability: number): boolean {
		return this.random() < probability;
	}

	private renew(order: Order, now: number, terms: readonly number[] = [1, 2, 7, 30]): void {
		if (order.expiresAt === undefined) return;
		const from = Math.max(order.expiresAt.getTime(), now);
		order.expiresAt = midMinute(from + pick(terms, this.random) * DAY);
	}

	private buy(now: number): void {
		const term = pick([1, 2, 5, 15], this.random) * DAY;
		const expiresAt = midMinute(now + term);
		const make = pick([newDedicatedProxyOrder, newTunnelProxyOrder], this.random);
		const order = make(uniqueName('bought'), this.account, new Date(now), { expiresAt });
		this.orders.push(this.bed.sandbox.store.addOrder<Order>(order));
	}

	private spend(): void {
		const { account, ipOrder, random } = this;
		account.balanceInFen = Math.max(0, account.balanceInFen - Math.floor(random() * 8_00));
		ipOrder.ipBalance = Math.max(0, (ipOrder.ipBalance ?? 0) - Math.floor(random() * 4));
		if (random() < 0.04) account.balanceInFen = 130_00;
		if (random() < 0.04) ipOrder.ipBalance = 65;
	}
}

const LINE_IN_FEN = 100_00;
const IP_LINE = 50;

interface Watch {
	readonly name: string;
	readonly keyType: 'account' | 'order';
	readonly keys: KeyPair;
	readonly parameters: IDataObject;
	readonly model: Model;
	/** The name of a told item. */
	readonly nameOf: (item: IDataObject) => string;
	/** The order of the key pair: when it has ended, only an outage in front of the service hides that. */
	readonly ownOrder?: Order;
	/** Whether the same order and expiry comes several times. */
	readonly remindsAgain?: true;
}

function nameOfOrder({ orderid, expiresAt }: IDataObject): string {
	return nameOf(orderid, Date.parse(String(expiresAt)));
}

function watchesOf(world: World): Watch[] {
	const { account, ownOrders, ipOrder } = world;
	const ofAccount = { keyType: 'account', keys: account.keys, nameOf: nameOfOrder } as const;
	const orderid = { __rl: true, mode: 'code', value: ipOrder.orderId };
	const [first, second] = ownOrders;
	const expiring = { event: 'orderExpiring', expiringWithin: WINDOW / DAY };
	const once = { ...expiring, remindEvery: 0 };
	return [
		{
			...ofAccount,
			name: 'orders expiring',
			parameters: expiring,
			model: expiringModel((now) => world.seen(now), 24),
			remindsAgain: true,
		},
		{
			...ofAccount,
			name: 'tunnels expiring',
			parameters: { ...once, filters: { products: ['TPS'] } },
			model: expiringModel(world.seenOf('TPS'), 0),
		},
		{
			...ofAccount,
			name: 'orders expired',
			parameters: { event: 'orderExpired' },
			model: expiredModel((now) => world.seen(now)),
		},
		{
			...ofAccount,
			name: 'account balance',
			parameters: { event: 'accountBalanceBelow', balanceBelow: LINE_IN_FEN / 100 },
			model: crossingModel(() => account.balanceInFen, LINE_IN_FEN),
			nameOf: ({ balanceNumber }) => String(Math.round(Number(balanceNumber) * 100)),
		},
		{
			...ofAccount,
			name: 'IP balance',
			keys: ipOrder.account.keys,
			parameters: { event: 'ipBalanceBelow', ipBalanceBelow: IP_LINE, orderid },
			model: crossingModel(() => ipOrder.ipBalance ?? 0, IP_LINE),
			nameOf: ({ balance }) => String(balance),
		},
		{
			name: 'own order expiring',
			keyType: 'order',
			keys: first.keys,
			parameters: once,
			model: expiringModel(seenWithOwnKeys(first), 0),
			nameOf: nameOfOrder,
			ownOrder: first,
		},
		{
			name: 'own order expired',
			keyType: 'order',
			keys: second.keys,
			parameters: { event: 'orderExpired' },
			model: expiredModel(seenWithOwnKeys(second)),
			nameOf: nameOfOrder,
			ownOrder: second,
		},
	];
}

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
