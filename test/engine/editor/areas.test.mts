import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { DedicatedCity } from '../../../sandbox/sandbox.mts';
import { type OrderKind, ownParameters } from '../../operations/world.mts';
import { Customer } from '../support/customer.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { startScriptedService } from '../support/scriptedService.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench();

const PATHS = {
	city: '/api/querykpscity',
	area: '/api/querysfpsarea',
	privateProxyResource: '/api/dpsresources',
} as const;
type ResourceName = keyof typeof PATHS;

const USUAL_ORDER: Readonly<Record<ResourceName, OrderKind>> = {
	city: 'kps',
	area: 'sfps',
	privateProxyResource: 'dps',
};

function orderCredential(kind: OrderKind, changes?: ICredentialDataDecryptedObject): string {
	return new Customer(bed(), { kind, credential: changes }).credentialId;
}

/** Runs "Get Many", with an order of the fitting kind unless a credential is given. */
async function getMany(
	resource: ResourceName,
	fields: IDataObject = {},
	settings: Partial<RunSettings> = {},
): Promise<RunResult> {
	return await bed().engine.run({
		credentialId: settings.credentialId ?? orderCredential(USUAL_ORDER[resource]),
		...settings,
		parameters: { resource, operation: 'getAll', ...fields },
	});
}

const ALL = { returnAll: true };

/** What arrived at the service. */
function sent(resource: ResourceName) {
	return bed().sandbox.log.entries(PATHS[resource]).map(ownParameters);
}

function records({ error, items }: RunResult): IDataObject[] {
	expect(error).toBeUndefined();
	return items.map(({ json }) => json);
}

/** Each has a name in English, which is proved with the table of names. */
function withoutEnglishNames(run: RunResult): IDataObject[] {
	return records(run).map(({ city, ...record }) => {
		expect(city).toMatch(/^\p{Lu}\p{L}/u);
		return record;
	});
}

/** The cities with shared IPs, from the sandbox's stock. */
function sharedCities(megabits: number, isWanted: (city: DedicatedCity) => boolean = () => true) {
	return bed()
		.sandbox.stock.filter(isWanted)
		.map(({ code, name, sharedMegabits }) => ({
			code,
			name,
			count: Math.floor(sharedMegabits / megabits),
		}))
		.filter(({ count }) => count > 0);
}

describe('City: Get Many', () => {
	it('asks as the editor has it at first, and gives what the service answers, in its order', async () => {
		const run = await getMany('city', ALL);
		expect(withoutEnglishNames(run)).toEqual(sharedCities(1));
		expect(run.items.length).toBeGreaterThan(100);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			run.items.map(() => ({ item: 0 })),
		);
		expect(sent('city')).toEqual([{ serie: '1', 'kps.max_bandwidth': '1', model: 'STA' }]);
	});

	it('gives no items and a hint where the service has nothing', async () => {
		const run = await getMany('city', { city: '81' });
		expect(records(run)).toEqual([]);
		expect(run.hints).toEqual([
			{
				message:
					'No city has these dedicated IPs right now. Try another bandwidth, city, or series.',
				location: 'outputPane',
			},
		]);
	});
});

describe('Area: Get Many', () => {
	it('asks for single IPs at first', async () => {
		await getMany('area');
		expect(sent('area')).toEqual([{ serie: '1' }]);
	});
});

describe('what the service may add some day', () => {
	it.each<[ResourceName, IDataObject, IDataObject]>([
		[
			'city',
			{ code: 3301, name: '杭州市', count: '12', more: { a: [1] }, error: 'x' },
			{
				code: 3301,
				name: '杭州市',
				count: '12',
				more: { a: [1] },
				service_error: 'x',
				city: 'Hangzhou',
			},
		],
		[
			'area',
			{ code: 'QX', more: null, error: 'x' },
			{ code: 'QX', more: null, service_error: 'x' },
		],
		[
			'privateProxyResource',
			{ area_code: '33', area_name: '', available: true, carrier_code: 9, error: 'x' },
			{ area_code: '33', area_name: '', available: true, carrier_code: 9, service_error: 'x' },
		],
	])('is handed on by %s, without a name that nobody knows', async (resource, record, expected) => {
		const service = await startScriptedService(() => ({
			body: JSON.stringify({ code: 0, msg: '', data: [record] }),
		}));
		const credentialId = orderCredential(USUAL_ORDER[resource], service.hosts);
		expect(records(await getMany(resource, {}, { credentialId }))).toEqual([expected]);
		expect(service.calls.map(({ path }) => path)).toEqual([PATHS[resource]]);
	});
});

const CARRIERS: Readonly<Record<number, { carrier_name: string; carrier: string }>> = {
	1: { carrier_name: '联通', carrier: 'China Unicom' },
	2: { carrier_name: '电信', carrier: 'China Telecom' },
	3: { carrier_name: '移动', carrier: 'China Mobile' },
};

describe('Private Proxy Resource: Get Many', () => {
	const HANGZHOU = { area_name: '杭州', area_code: 3301 };
	const of = (code: number) => ({ carrier_code: code, ...CARRIERS[code], available: true });
	const none = { carrier_name: '', carrier_code: -1, available: false };
	let before: ReadonlyMap<string, readonly (1 | 2 | 3)[]>;

	beforeAll(() => {
		const { privateStock } = bed().sandbox;
		before = new Map(privateStock);
		privateStock
			.set('3301', [1, 2, 3])
			.set('4403', [2])
			.set('5101', [])
			.set('11', [3])
			.set('31', []);
	});
	afterAll(() => {
		for (const [city, carriers] of before) bed().sandbox.privateStock.set(city, carriers);
	});

	it('gives every area and carrier of the order, with the English name of the carrier', async () => {
		const run = await getMany('privateProxyResource', ALL);
		const all = records(run);
		expect(all.filter(({ area_code }) => area_code === 3301)).toEqual([
			{ ...HANGZHOU, ...of(1) },
			{ ...HANGZHOU, ...of(2) },
			{ ...HANGZHOU, ...of(3) },
		]);
		expect(all.filter(({ area_code }) => area_code === 5101)).toEqual([
			{ area_name: '成都', area_code: 5101, ...none },
		]);
		expect(all.length).toBeGreaterThan(360);
		expect(sent('privateProxyResource')).toEqual([{}]);
	});

	describe('Only Available', () => {
		const area = '3301,5101,31,4403';

		it('leaves out what the order cannot use, before it counts', async () => {
			const fields = { area, onlyAvailable: true, limit: 4 };
			const codes = records(await getMany('privateProxyResource', fields)).map((one) => [
				one.area_code,
				one.carrier_code,
				one.available,
			]);
			expect(codes).toEqual([
				[3301, 1, true],
				[3301, 2, true],
				[3301, 3, true],
				[4403, 2, true],
			]);
			// It is the node's own field
			expect(sent('privateProxyResource')).toEqual([{ area }]);
		});

		it('that leaves nothing over gives a hint', async () => {
			const run = await getMany('privateProxyResource', { area: '5101,31', onlyAvailable: true });
			expect(records(run)).toEqual([]);
			expect(run.hints).toEqual([
				{
					message:
						"The order has no matching areas or carriers. Try another area or carrier, or turn off 'Only Available'.",
					location: 'outputPane',
				},
			]);
		});
	});
});
