import { TOKENS, useTestBed, type OpenProxy, type PlanName } from '../support/testBed.mts';

interface Case {
	signType: 'hmacsha1' | 'token';
	plan: PlanName;
	format: 'text' | 'json' | 'xml';
}

const FORMATS_OF_PLAN: ReadonlyArray<[Case['plan'], ReadonlyArray<Case['format']>]> = [
	['regular', ['text']],
	['vip', ['text', 'json', 'xml']],
	['svip', ['text', 'json', 'xml']],
];

const CASES: Case[] = (['hmacsha1', 'token'] as const).flatMap((signType) =>
	FORMATS_OF_PLAN.flatMap(([plan, formats]) =>
		formats.map((format) => ({ signType, plan, format })),
	),
);

const bed = useTestBed();

/** As the next node gets it, where nothing but the address was asked for. */
function record({ address, port }: OpenProxy) {
	return {
		proxyUrl: `http://${address}:${port}`,
		address: `${address}:${port}`,
		host: address,
		port,
	};
}

describe.each(CASES)('with sign type $signType and plan $plan, as $format', (each) => {
	const { signType, plan, format } = each;

	it('gives an item for each proxy, with exactly the promised fields', async () => {
		const options = plan === 'regular' ? {} : { format };
		const { items, errorItems, error, hints, status } = await bed().extract({
			plan,
			num: 7,
			options,
			credential: { signType },
		});

		expect(error).toBeUndefined();
		expect(status).toBe('success');
		expect(hints).toEqual([]);
		expect(errorItems).toEqual([]);
		expect(items).toHaveLength(7);
		for (const item of items) {
			const json = record(bed().proxyOf(item));
			expect(item).toStrictEqual({ json, pairedItem: { item: 0 } });
		}
		expect(new Set(items.map(({ json }) => json.address)).size).toBe(7);
	});

	it('sends the number and the format, signed in the chosen way, to the host of the plan', async () => {
		const order = bed().newOrder(plan);
		const options = plan === 'regular' ? {} : { format };
		const credentialId = bed().addCredential(order.keys, { signType });
		await bed().extract({ plan, num: 3, options, credentialId });

		const [request, ...more] = bed().extractions;
		expect(more).toEqual([]);
		expect(request).toMatchObject({
			method: 'GET',
			host: plan === 'svip' ? 'svip' : 'base',
			code: 0,
		});
		expect(bed().lastSent).toEqual(plan === 'regular' ? { num: '3' } : { num: '3', format });
		expect(request.parameters).toMatchObject({
			secret_id: order.keys.secretId,
			sign_type: signType,
			signature: expect.stringMatching(/./),
		});
		const isSigned = signType === 'hmacsha1';
		expect('nonce' in request.parameters).toBe(isSigned);
		expect('timestamp' in request.parameters).toBe(isSigned);
		expect(bed().sandbox.log.count(TOKENS)).toBe(isSigned ? 0 : 1);
	});
});

it('asks for JSON where the plan allows it and nothing else was chosen', async () => {
	await bed().extract({ plan: 'vip', num: 2 });
	expect(bed().lastSent).toEqual({ num: '2', format: 'json' });
	await bed().extract({ plan: 'svip', num: 2 });
	expect(bed().lastSent).toEqual({ num: '2', format: 'json' });
});

it('extracts ten proxies of a regular order where only the product is filled in', async () => {
	const { items, error } = await bed().engine.run({
		credentialId: bed().addCredential(bed().newOrder('regular').keys),
		parameters: { resource: 'proxy', product: 'OPS' },
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(10);
	expect(bed().lastSent).toEqual({ num: '10' });
});

it('puts all proxies in one item on request', async () => {
	const { items } = await bed().extract({ num: 4, output: 'allInOne' });
	expect(items).toEqual([
		{ json: { count: 4, proxies: expect.any(Array) }, pairedItem: { item: 0 } },
	]);
	const { proxies } = items[0].json;
	if (!Array.isArray(proxies)) throw new Error('There is no list');
	expect(proxies).toHaveLength(4);
	for (const json of proxies) expect(json).toStrictEqual(record(bed().proxyOf({ json })));
});
