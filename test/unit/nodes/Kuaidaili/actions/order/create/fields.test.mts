import { at } from '../../../../../../../harness/outsideData.mts';
import {
	describedOperation,
	shownFields,
	type Values,
} from '../../../../../../operations/described.mts';

/* What somebody reads while choosing, before anything is bought. */

const { menus, properties } = describedOperation({ resource: 'order', operation: 'create' });

function shown(given: Values) {
	return shownFields(properties, { ...menus, ...given }).map(({ property }) => property);
}

function field(name: string, given: Values) {
	return shown(given).find((property) => property.name === name);
}

const PREPAID_PRIVATE = { product: 'DPS', payType: 'PRE_PAY' };

describe('Extraction', () => {
	it.each([
		[1, ['3 to 5 Minutes', '10 to 30 Minutes', '30 to 60 Minutes', '3 to 4 Hours']],
		[
			2,
			[
				'1 to 5 Minutes',
				'5 to 10 Minutes',
				'10 to 20 Minutes',
				'20 to 30 Minutes',
				'30 to 60 Minutes',
				'2 to 4 Hours',
			],
		],
	])('%i: names every lifetime that it offers', (dpsFetchType, lifetimes) => {
		const offered = field('dpsPeriod', { ...PREPAID_PRIVATE, dpsFetchType })?.options ?? [];
		expect(offered.map(({ name }) => name)).toEqual(lifetimes);
		const choices = field('dpsFetchType', PREPAID_PRIVATE)?.options ?? [];
		const chosen = choices.find((choice) => 'value' in choice && choice.value === dpsFetchType);
		const [, inShort] = String(at(chosen, 'description')).split('lifetimes: ');
		const withoutUnit = (lifetime: string) => lifetime.replace(/ (minutes|hours)$/i, '');
		expect(inShort.split(', ').map(withoutUnit)).toEqual(lifetimes.map(withoutUnit));
	});
});

describe('City', () => {
	const cityOf = (given: Values) => field('kpsCity', { product: 'KPS', ...given });

	it.each([{ kpsSerie: 2 }, { kpsSerie: 1, kpsModel: 'STA' }])(
		'is picked from the list of Kuaidaili with %j',
		(given) => {
			expect(cityOf(given)?.default).toEqual({ __rl: true, mode: 'list', value: '' });
		},
	);

	it('is typed for shared dynamic IPs, and one that was picked before can be left', () => {
		const city = cityOf({ kpsSerie: 1, kpsModel: 'DYN' });
		expect(city?.default).toEqual({ __rl: true, mode: 'code', value: '' });
		expect(city?.modes?.map(({ name }) => name)).toEqual(['list', 'code']);
	});
});

it("the number of IPs is called 'IPs per Day' where it is one, and nowhere else", () => {
	const labels = (given: Values) =>
		shown(given)
			.filter(({ name }) => name.endsWith('IpCount'))
			.map(({ displayName }) => displayName);
	for (const dpsFetchType of [1, 2]) {
		expect(labels({ ...PREPAID_PRIVATE, dpsFetchType })).toEqual(['IPs per Day']);
	}
	expect(labels({ product: 'DPS', payType: 'PRE_PAY_IP' })).toEqual(['Number of IPs']);
	expect(labels({ product: 'KPS' })).toEqual(['Number of IPs']);
});

it('pay-as-you-go comes with the notice that it is charged by use and runs until it is closed', () => {
	const notices = (given: Values) =>
		shown(given)
			.filter(({ type }) => type === 'notice')
			.map(({ displayName }) => displayName);
	const [common, ...more] = notices({ product: 'TPS', payType: 'POST_PAY' });
	expect(common).toContain('charged to the account balance');
	expect(common).toContain('Prices are in the member center only');
	expect(more).toEqual([expect.stringMatching(/charged by use, and runs until you close it/)]);
	for (const given of [{ product: 'TPS' }, PREPAID_PRIVATE, { product: 'KPS' }]) {
		expect(notices(given)).toEqual([common]);
	}
});
