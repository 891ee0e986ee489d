import type { IDataObject } from 'n8n-workflow';

import type { Account } from '../../../sandbox/sandbox.mts';
import type { RunSettings } from '../support/engine.mts';
import { ownParameters } from '../support/ownParameters.mts';
import { useTestBed } from '../support/testBed.mts';

export const CITIES = '/api/querykpscity';
export const ORDERS = '/api/createorder';

export const bed = useTestBed();

export const SHARED = {
	resource: 'order',
	operation: 'create',
	product: 'KPS',
	payType: 'PRE_PAY',
	prepayTimeType: 'MONTH',
	kpsSerie: 1,
	kpsModel: 'STA',
	kpsMaxBandwidth: 1,
	// The preset is 1
	options: { maxOrdersPerRun: 10 },
};
export const EXCLUSIVE = { ...SHARED, kpsSerie: 2 };

/** An account of its own for each test, and what it asked and bought. */
export class Customer {
	private readonly account: Account = bed().newAccount({ balanceInFen: 1_000_000_00 });

	readonly credentialId = bed().addCredential(this.account.keys, { keyType: 'account' });

	async buy(fields: IDataObject, settings: Partial<RunSettings> = {}) {
		return await bed().engine.run({
			credentialId: this.credentialId,
			...settings,
			parameters: { ...SHARED, ...fields },
		});
	}

	private sent(path: string) {
		return bed()
			.sandbox.log.entries(path)
			.filter(({ parameters }) => parameters.secret_id === this.account.keys.secretId);
	}

	get questions() {
		return this.sent(CITIES).map(ownParameters);
	}

	/** How many of each order were asked for. */
	get orders() {
		return this.sent(ORDERS).map((request) => Number(ownParameters(request)['kps.ip_count']));
	}

	get payments(): number {
		const { secretId } = this.account.keys;
		return bed()
			.sandbox.ledger.entries()
			.filter((each) => each.secretId === secretId).length;
	}
}

/** Sets what is left, and the same again for each test. */
export function leave(code: string, sharedMegabits: number, hasExclusive = true): void {
	const city = bed().sandbox.stock.find((one) => one.code === code);
	if (city === undefined) throw new Error(`There is no city ${code}`);
	Object.assign(city, { sharedMegabits, hasExclusive });
}

beforeEach(() => {
	leave('3301', 12);
	leave('4403', 5);
});
