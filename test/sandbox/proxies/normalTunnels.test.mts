import { exit, sandbox, SECOND, secure, tps } from './enteringTunnels.mts';

describe('a tunnel without a period', () => {
	it('holds an address for 30 seconds for a string after the password', async () => {
		const order = tps();
		const held = await exit(order, { note: ':abc' });
		expect(await exit(order, { note: ':abc', url: secure.url })).toBe(held);
		sandbox.clock.advance(29 * SECOND);
		expect(await exit(order, { note: ':abc' })).toBe(held);
		expect(await exit(order, { note: ':abcd' })).not.toBe(held);
		expect(await exit(order)).not.toBe(held);
		// The requests in between have not prolonged it.
		sandbox.clock.advance(SECOND);
		expect(await exit(order, { note: ':abc' })).not.toBe(held);
	});
});

describe('a tunnel with a period', () => {
	it('changes its address after each period, counted from the first request', async () => {
		const order = tps({ period: 60 });
		const first = await exit(order);
		sandbox.clock.advance(59 * SECOND);
		expect(await exit(order, { url: secure.url })).toBe(first);
		sandbox.clock.advance(SECOND);
		const second = await exit(order);
		expect(second).not.toBe(first);
		sandbox.clock.advance(59 * SECOND);
		expect(await exit(order)).toBe(second);
		sandbox.clock.advance(SECOND);
		expect(await exit(order)).not.toBe(second);
	});

	it('has one channel, whatever string comes', async () => {
		const order = tps({ period: 60 });
		const first = await exit(order);
		expect(await exit(order, { note: ':3' })).toBe(first);
		expect(await exit(order, { note: ':abc' })).toBe(first);
	});

	it('has several channels if it was sold so, by number and by any string', async () => {
		const order = tps({ period: 60, channels: 4 });
		const numbers = [1, 2, 3, 4];
		const exits: string[] = [];
		for (const number of numbers) exits.push(await exit(order, { note: `:${number}` }));
		expect(new Set(exits).size).toBe(4);
		for (const number of numbers) {
			expect(await exit(order, { note: `:${number}`, url: secure.url })).toBe(exits[number - 1]);
		}
		for (const text of ['5', 'abc', '0', '']) {
			const mapped = await exit(order, { note: `:${text}` });
			expect(exits).toContain(mapped);
			expect(await exit(order, { note: `:${text}` })).toBe(mapped);
		}
	});

	it('chooses the channel by a header, which only http pages can bring', async () => {
		const order = tps({ period: 60, channels: 4 });
		const third = await exit(order, { note: ':3' });
		const headers = { 'kdl-tps-channel': '3' };
		expect(await exit(order, { headers })).toBe(third);
		const without = await exit(order);
		expect(await exit(order, { headers, url: secure.url })).toBe(without);
		const other = await exit(order, { headers, note: ':2' });
		expect(other).not.toBe(third);
	});

	it('chooses the channel by the address of the client when nothing is said', async () => {
		const order = tps({ period: 60, channels: 50 });
		const first = await exit(order);
		expect(await exit(order)).toBe(first);
		expect(await exit(order, { localAddress: '127.0.0.9' })).not.toBe(first);
	});
});
