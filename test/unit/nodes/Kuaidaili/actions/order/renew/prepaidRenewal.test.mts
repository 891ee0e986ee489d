import { notToBeRenewed } from '../../../../../../../nodes/Kuaidaili/actions/order/renew/prepaidRenewal.ts';
import { localTimeIn } from '../../../../../../../nodes/shared/service/localTime.ts';
import { DescribedError } from '../../../../../../../nodes/shared/errors/callErrors.ts';
import type { TimeWindow } from '../../../../../../../nodes/shared/orders/timeWindow.ts';

const DAY = 24 * 3_600_000;
const THREE_DAYS: TimeWindow = { ms: 3 * DAY, inWords: '3 days' };
const localTime = localTimeIn('Asia/Shanghai');
const END = '2026-06-18 12:01:43';
const ENDS_AT = Date.parse('2026-06-18T04:01:43Z');

describe('an order', () => {
	const at = (answeredAt: number) =>
		notToBeRenewed({ expireTime: END, expiresAt: ENDS_AT, answeredAt }, THREE_DAYS, localTime);

	it.each([
		['with exactly as much time left', ENDS_AT - 3 * DAY],
		['with less time left', ENDS_AT - DAY],
		['that ends now', ENDS_AT],
		['that has just ended', ENDS_AT + DAY],
	])('%s is to be renewed', (_which, now) => {
		expect(at(now)).toBeUndefined();
	});

	it('that ended long ago is let through, with the reason', () => {
		expect(at(ENDS_AT + DAY + 1)).toMatchObject({
			renewed: false,
			reason: `The order ended at ${END} (China time), so nothing was bought. Order a new one with 'Order: Create'`,
		});
	});

	it('with more time left is let through, with the reason', () => {
		expect(at(ENDS_AT - 3 * DAY - 1)).toEqual({
			renewed: false,
			reason: 'The order has more than 3 days left, so nothing was bought',
			expire_time: END,
			expiresAt: '2026-06-18T12:01:43+08:00',
			secondsLeft: 3 * 86_400,
			daysLeft: 3,
		});
	});

	it('that does not end is refused, and the text says that nothing was bought', () => {
		const look = () =>
			notToBeRenewed(
				{ expireTime: '', expiresAt: undefined, answeredAt: ENDS_AT },
				THREE_DAYS,
				localTime,
			);
		expect(look).toThrow(DescribedError);
		expect(look).toThrow(
			expect.objectContaining({
				text: expect.objectContaining({
					description: expect.stringContaining('Nothing was bought for this item.'),
				}),
			}),
		);
	});
});
