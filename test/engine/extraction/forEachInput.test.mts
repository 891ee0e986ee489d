import type { INodeExecutionData } from 'n8n-workflow';

import type { OrderKind } from '../../operations/world.mts';
import { CONTINUE_WITH_ERRORS } from '../support/nodeSettings.mts';
import { productOwner } from '../support/productOwner.mts';
import { useTestBed } from '../support/testBed.mts';
import { until } from '../../virtualTime.mts';

const bed = useTestBed();

const GET_DPS = '/api/getdps';

const owner = (kind: OrderKind) => productOwner(bed(), kind);

describe('one proxy for each of many input items', () => {
	const FOR_EACH = { product: 'DPS', output: 'forEachInput' };

	it('leaves 25 items as they are, with binary data, links and other fields', async () => {
		const input: INodeExecutionData[] = Array.from({ length: 25 }, (_, n) => ({
			json: { n, nested: { list: [n] } },
			binary: {
				file: { data: Buffer.from(`file ${n}`).toString('base64'), mimeType: 'text/plain' },
			},
			pairedItem: { item: 0 },
		}));
		const me = owner('dpsPerIp');
		const { items, error } = await me.run(FOR_EACH, { input });
		expect(error).toBeUndefined();
		expect(
			items.map(({ json: { proxyUrl, proxyDetails, ...json }, ...others }) => ({
				json,
				...others,
			})),
		).toEqual(input.map((item, index) => ({ ...item, pairedItem: { item: index } })));
		expect(new Set(items.map(({ json }) => json.proxyUrl)).size).toBe(25);
		expect(me.used()).toBe(25);
	});

	it('makes one extraction for each setting, and gives each item one of its own setting', async () => {
		const me = owner('dpsPerIp');
		const items = Array.from({ length: 12 }, (_, n) => ({ carrier: (n % 3) + 1 }));
		const filters = { carrier: '={{ $json.carrier }}' };
		const run = await me.run({ ...FOR_EACH, filters }, { items });
		expect(run.error).toBeUndefined();
		const calls = bed().sandbox.log.entries(GET_DPS);
		expect(calls.map(({ parameters: { carrier, num } }) => [carrier, num])).toEqual([
			['1', '4'],
			['2', '4'],
			['3', '4'],
		]);
		expect(run.items.map(({ json }) => json.carrier)).toEqual(items.map(({ carrier }) => carrier));
		expect(new Set(run.items.map(({ json }) => json.proxyUrl)).size).toBe(12);
	});

	it('gives items of different settings different sessions', async () => {
		const me = owner('tpsPro');
		const run = await me.run(
			{
				product: 'TPS_PRO',
				output: 'forEachInput',
				sessionPerItem: true,
				sessionMinutes: 5,
				region: '={{ $json.region }}',
			},
			{ items: ['NC', 'NC', 'EC', 'EC'].map((region) => ({ region })) },
		);
		const sids = run.items.map(({ json }) => /-sid-(\w+)/.exec(String(json.proxyUrl))?.[1]);
		expect(new Set(sids).size).toBe(4);
	});

	it('leaves the others alone when one item is wrong', async () => {
		const me = owner('dpsPerIp');
		const items = [{ each: 1 }, { each: 0 }, { each: 1 }];
		const fields = { ...FOR_EACH, itemsPerProxy: '={{ $json.each }}' };
		const run = await me.run(fields, { items, settings: CONTINUE_WITH_ERRORS });
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(run.errorItems.map(({ json }) => json.error)).toEqual([
			expect.stringMatching(/'Items per Proxy' can't be 0/),
		]);
		expect(me.used()).toBe(2);
		const stopped = await me.run(fields, { items });
		expect(stopped.error?.message).toMatch(/\[item 1\]/);
		expect(me.used()).toBe(2);
	});

	it('tells every item of a failed extraction why, and makes one call', async () => {
		const me = owner('dpsPerIp');
		bed().sandbox.faults.add({ kind: 'code', code: 1, msg: '', path: GET_DPS });
		const { errorItems } = await me.run(FOR_EACH, {
			items: [{}, {}, {}],
			settings: { onError: 'continueErrorOutput' },
		});
		expect(errorItems.map(({ json }) => json.error)).toEqual(
			Array(3).fill(expect.stringMatching(/Today's quota/)),
		);
		expect(bed().sandbox.log.count(GET_DPS)).toBe(1);
	});

	it('stops at once when the run is cancelled', async () => {
		const me = owner('dpsPerIp');
		bed().sandbox.faults.add({ kind: 'hang', path: GET_DPS });
		const cancelWhen = until(() => bed().sandbox.log.count(GET_DPS) > 0);
		const { status } = await me.run(FOR_EACH, {
			items: [{}, {}],
			settings: CONTINUE_WITH_ERRORS,
			cancelWhen,
		});
		expect(status).toBe('canceled');
		expect(bed().sandbox.log.count(GET_DPS)).toBe(1);
	});
});
