import { statusOf } from '../../../sandbox/accounts/order.mts';
import { pick, type Random } from '../../../sandbox/random.mts';
import {
	addManyOrders,
	newDedicatedProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type Account,
	type Order,
} from '../../../sandbox/sandbox.mts';
import { DAY, MINUTE } from '../../durations.mts';
import { uniqueName, type TestBed } from '../support/testBed.mts';
import { seen, type Seen, WINDOW } from './monthModel.mts';

const HALF_MINUTE = MINUTE / 2;

export const START = Date.parse('2026-03-01T00:00:00Z');

/** A time in the middle of a minute. */
function midMinute(time: number): Date {
	return new Date(Math.floor(time / MINUTE) * MINUTE + HALF_MINUTE);
}

/** The account, and what happens to it. */
export class World {
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
