import type { Goods } from '../accounts/order.mts';
import type { Term } from '../time/chinaTime.mts';

/** Every price is INVENTED. In fen, and whole, so that sums are exact. None is a price of the service. */
const INVENTED_PRICES = {
	openPerDay: { regular: 100, VIP: 300, SVIP: 900 },
	tunnelPerDay: 200,
	tunnelPerRequestPerSecondAndDay: 20,
	tunnelPerMegabitAndDay: 50,
	privatePer100AddressesAndDay: 5,
	privatePer100Addresses: 30,
	dedicatedPerMegabitAndDay: { shared: 100, exclusive: 300 },
	overseasPerGb: 1500,
	overseasPerDay: 1200,
} as const;

const DAYS_CHARGED = { DAY: 1, WEEK: 7, MONTH: 30, YEAR: 365 } as const;

export function priceOfTerm(goods: Goods, { unit, number }: Term): number {
	return pricePerDay(goods) * DAYS_CHARGED[unit] * number;
}

export function priceOfAddresses(count: number): number {
	return (count / 100) * INVENTED_PRICES.privatePer100Addresses;
}

export function priceOfFlow(gb: number): number {
	return gb * INVENTED_PRICES.overseasPerGb;
}

export function pricePerDay(goods: Goods): number {
	switch (goods.product) {
		case 'OPS':
			return INVENTED_PRICES.openPerDay[goods.plan];
		case 'TPS':
		case 'TPS_PRO':
			return (
				INVENTED_PRICES.tunnelPerDay +
				goods.maxRps * INVENTED_PRICES.tunnelPerRequestPerSecondAndDay +
				goods.maxBandwidth * INVENTED_PRICES.tunnelPerMegabitAndDay
			);
		case 'DPS':
			return (goods.ipCount / 100) * INVENTED_PRICES.privatePer100AddressesAndDay;
		case 'KPS':
			return (
				goods.ipCount * goods.maxBandwidth * INVENTED_PRICES.dedicatedPerMegabitAndDay[goods.series]
			);
		case 'FPS':
			return goods.flowInGb === undefined ? INVENTED_PRICES.overseasPerDay : 0;
		case 'SFPS':
		case 'TOP_UP':
			// Neither sold nor renewed here.
			return 0;
	}
}
