import { FreshExpiry } from '../../../../../../../nodes/Kuaidaili/actions/order/renew/freshExpiry';
import type { OrderExpiry } from '../../../../../../../nodes/shared/orders/orderExpiry';

const expiry = (expiresAt: number): OrderExpiry => ({
	expireTime: '2026-01-01 00:00:00',
	expiresAt,
	answeredAt: 0,
});

function asked(answerMs: number) {
	let now = 0;
	const questions: number[] = [];
	const ask = async () => {
		questions.push(now);
		now += answerMs;
		return expiry(questions.length);
	};
	const fresh = new FreshExpiry(ask, expiry(0), 0, () => now);
	return { fresh, questions, pass: (ms: number) => (now += ms) };
}

describe('The expiry before a renewal', () => {
	it('is not asked again while it is fresh', async () => {
		const { fresh, questions, pass } = asked(10);
		pass(500);
		expect(await fresh.refresh()).toEqual(expiry(0));
		expect(questions).toEqual([]);
	});

	it('is asked again when a renewal that came meanwhile would not be seen', async () => {
		const { fresh, questions, pass } = asked(10);
		pass(501);
		expect(await fresh.refresh()).toEqual(expiry(1));
		expect(fresh.latest).toEqual(expiry(1));
		expect(questions).toEqual([501]);
	});

	it('is asked again when its own answer came late', async () => {
		const { fresh, questions, pass } = asked(600);
		pass(600);
		expect(await fresh.refresh()).toEqual(expiry(2));
		expect(questions).toEqual([600, 1200]);
	});

	it('is taken as it is on a line that is always slow, after two questions for each try', async () => {
		const { fresh, questions, pass } = asked(60_000);
		pass(60_000);
		await fresh.refresh();
		expect(questions).toHaveLength(2);
		await fresh.refresh();
		expect(questions).toHaveLength(4);
	});

	it('is asked again for every try, however many there were', async () => {
		const { fresh, questions, pass } = asked(10);
		for (let tries = 1; tries <= 4; tries++) {
			pass(1500);
			expect(await fresh.refresh()).toEqual(expiry(tries));
			expect(questions).toHaveLength(tries);
		}
	});
});
