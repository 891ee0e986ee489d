import type { Account, Coupon } from '../accounts/account.mts';

/** The usable coupon that takes off most. */
export function bestCoupon({ coupons }: Account, priceInFen: number): Coupon | undefined {
	return coupons
		.filter(({ fromInFen }) => fromInFen <= priceInFen)
		.toSorted((left, right) => right.offInFen - left.offInFen)
		.at(0);
}

export function priceWith(coupon: Coupon | undefined, priceInFen: number): number {
	return Math.max(0, priceInFen - (coupon?.offInFen ?? 0));
}

export function useUp(account: Account, coupon: Coupon | undefined): void {
	account.coupons = account.coupons.filter((each) => each !== coupon);
}
