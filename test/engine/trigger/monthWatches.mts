import type { IDataObject } from 'n8n-workflow';

import type { KeyPair, Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import {
	crossingModel,
	expiredModel,
	expiringModel,
	nameOf,
	seenWithOwnKeys,
	WINDOW,
	type Model,
} from './monthModel.mts';
import type { World } from './monthWorld.mts';

const LINE_IN_FEN = 100_00;
const IP_LINE = 50;

export interface Watch {
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

export function nameOfOrder({ orderid, expiresAt }: IDataObject): string {
	return nameOf(orderid, Date.parse(String(expiresAt)));
}

export function watchesOf(world: World): Watch[] {
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
