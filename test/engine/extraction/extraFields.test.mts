import { entryOf } from '../../../sandbox/extraction/openRequest.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed({ catalogueSize: 600, seed: 7 });

describe('extra fields', () => {
	const ALL = { fLoc: true, fAn: true, fPr: true, fSp: true };
	const everyField = { region: true, anonymity: true, protocol: true, speed: true };

	it.each(['text', 'json', 'xml'])('are all there in the format %s', async (format) => {
		const { items } = await bed().extract({ num: 40, extraFields: ALL, options: { format } });
		expect(bed().lastSent).toEqual({
			num: '40',
			format,
			f_loc: '1',
			f_an: '1',
			f_pr: '1',
			f_sp: '1',
		});
		expect(items).toHaveLength(40);
		for (const { json } of items) {
			const known = bed().proxyOf({ json });
			const [address, region, anonymity, protocol, responseTime] = entryOf(known, everyField).split(
				',',
			);
			expect(json).toStrictEqual({
				proxyUrl: `http://${address}`,
				address,
				host: known.address,
				port: known.port,
				region,
				anonymity,
				protocol,
				responseTime,
			});
		}
	});

	it('are only those that were asked for', async () => {
		const { items } = await bed().extract({ num: 5, extraFields: { fSp: true, fAn: true } });
		expect(bed().lastSent).toEqual({ num: '5', format: 'json', f_an: '1', f_sp: '1' });
		for (const { json } of items) {
			const { responseSeconds, anonymity } = bed().proxyOf({ json });
			expect(json).toEqual({
				proxyUrl: expect.any(String),
				address: expect.any(String),
				host: expect.any(String),
				port: expect.any(Number),
				anonymity: { high: '高匿名', anonymous: '匿名', transparent: '透明' }[anonymity],
				responseTime: responseSeconds.toFixed(2),
			});
		}
	});

	it('are in the list of the one item as well', async () => {
		const { items } = await bed().extract({
			num: 2,
			output: 'allInOne',
			extraFields: { fLoc: true },
		});
		expect(items).toEqual([
			{
				json: {
					count: 2,
					proxies: [
						expect.objectContaining({ region: expect.stringMatching(/./) }),
						expect.objectContaining({ region: expect.stringMatching(/./) }),
					],
				},
				pairedItem: { item: 0 },
			},
		]);
	});
});

describe('the separator of the text format', () => {
	it.each([1, 2, 3, 4])('%i separates the proxies of a regular order', async (sep) => {
		const { items, error } = await bed().extract({
			plan: 'regular',
			num: 30,
			options: { sep, format: 'text' },
		});
		expect(error).toBeUndefined();
		expect(bed().lastSent).toEqual({ num: '30', sep: String(sep) });
		expect(items).toHaveLength(30);
		for (const item of items) bed().proxyOf(item);
	});

	it.each([1, 2, 3, 4])('%i separates proxies with extra fields', async (sep) => {
		const { items, error } = await bed().extract({
			num: 30,
			extraFields: { fLoc: true, fSp: true },
			options: { sep, format: 'text' },
		});
		expect(error).toBeUndefined();
		expect(bed().lastSent).toMatchObject({ format: 'text', sep: String(sep) });
		expect(items).toHaveLength(30);
		for (const item of items) {
			const { responseSeconds } = bed().proxyOf(item);
			expect(item.json.responseTime).toBe(responseSeconds.toFixed(2));
			expect(item.json).not.toHaveProperty('raw');
		}
	});

	it('is not sent with a format that has none', async () => {
		await bed().extract({ options: { sep: 4, format: 'xml' } });
		expect(bed().lastSent).toEqual({ num: '1', format: 'xml' });
	});
});
