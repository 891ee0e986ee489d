import { exit, fps, pro, sandbox, SECOND, secure, statusOf } from './enteringTunnels.mts';

describe('a Pro tunnel', () => {
	it('holds an address for a session, as long as the period says', async () => {
		const order = pro();
		const suffix = '-period-0.5-sid-s01';
		const held = await exit(order, { suffix });
		expect(await exit(order, { suffix, url: secure.url })).toBe(held);
		expect(await exit(order, { suffix: '-sid-s01-period-0.5' })).toBe(held);
		sandbox.clock.advance(29 * SECOND);
		expect(await exit(order, { suffix })).toBe(held);
		sandbox.clock.advance(SECOND);
		expect(await exit(order, { suffix })).not.toBe(held);
	});

	it('has a channel for each period and session', async () => {
		const order = pro();
		const suffixes = ['-period-1-sid-a', '-period-1-sid-b', '-period-2-sid-a', '-period-1'];
		const exits: string[] = [];
		for (const suffix of suffixes) exits.push(await exit(order, { suffix }));
		expect(new Set(exits).size).toBe(4);
		for (const [index, suffix] of suffixes.entries()) {
			expect(await exit(order, { suffix })).toBe(exits[index]);
		}
	});

	it.each([
		['-area-EC', { area: 'EC' }],
		['-prov-33', { prov: '33' }],
		['-city-330100-period-30-sid-abcdef', { city: '330100' }],
		['-period-0.25-area-SWC', { area: 'SWC' }],
		['-type-enh-pool-q10', {}],
	])('goes to the place in %s', async (suffix, place) => {
		const order = pro();
		const address = await exit(order, { suffix });
		expect(sandbox.proxyLog.last()).toMatchObject({ exit: address, place });
		expect(sandbox.proxyLog.last()?.place).toEqual(place);
	});

	it.each([
		'-',
		'-period-',
		'-period-0',
		'-period-0.3',
		'-period-31',
		'-period-1.0',
		'-period-1-period-2',
		'-sid-abcdefg',
		'-sid-',
		'-period-1-sid-a-b',
		'-area-XX',
		'-area-ec',
		'-prov-3301',
		'-city-3301',
		'-region-US',
		'-Period-1',
		'period-1',
		'-period-1-',
	])('refuses "%s"', async (suffix) => {
		expect(await statusOf(pro(), suffix)).toBe(407);
	});
});

describe('an overseas tunnel', () => {
	it('goes where the user name says, or where the order says', async () => {
		const order = fps({ transferArea: 'JP' });
		const cases = [
			['', { region: 'JP' }],
			['-region-US', { region: 'US' }],
			['-region-US-area-New York-period-1', { region: 'US', area: 'New York' }],
			['-area-Osaka', { region: 'JP', area: 'Osaka' }],
			['-cont-eu', { cont: 'eu' }],
			['-period-0', { region: 'JP' }],
		] as const;
		for (const [suffix, place] of cases) {
			await exit(order, { suffix });
			expect(sandbox.proxyLog.last()?.place).toEqual(place);
		}
	});

	it('holds an address for the minutes of the period', async () => {
		const order = fps();
		const suffix = '-region-US-period-1';
		const held = await exit(order, { suffix });
		expect(await exit(order, { suffix, url: secure.url })).toBe(held);
		expect(await exit(order, { suffix: '-region-GB-period-1' })).not.toBe(held);
		sandbox.clock.advance(59 * SECOND);
		expect(await exit(order, { suffix })).toBe(held);
		sandbox.clock.advance(SECOND);
		expect(await exit(order, { suffix })).not.toBe(held);
	});

	it('reads headers too, which the user name beats, and which only http pages can bring', async () => {
		const order = fps();
		const headers = { 'Kdl-Region': 'JP', 'Kdl-Area': 'Osaka', 'Kdl-Period': '1' };
		const held = await exit(order, { headers });
		expect(sandbox.proxyLog.last()?.place).toEqual({ region: 'JP', area: 'Osaka' });
		expect(await exit(order, { headers })).toBe(held);
		await exit(order, { headers, suffix: '-region-GB' });
		expect(sandbox.proxyLog.last()?.place).toEqual({ region: 'GB', area: 'Osaka' });
		await exit(order, { headers, url: secure.url });
		expect(sandbox.proxyLog.last()?.place).toEqual({ region: 'US' });
		await exit(order, { headers: { 'Kdl-Region': 'nowhere' } });
		expect(sandbox.proxyLog.last()?.place).toEqual({ region: 'US' });
	});

	it.each([
		'-region-USA',
		'-region-us',
		'-cont-xx',
		'-period-0.5',
		'-period-31',
		'-sid-a',
		'-area-',
	])('refuses "%s"', async (suffix) => {
		expect(await statusOf(fps(), suffix)).toBe(407);
	});
});
