import {
	PurchaseRecords,
	type PurchaseNames,
} from '../../../../../nodes/Kuaidaili/purchase/records.ts';
import type { NodeRecords } from '../../../../../nodes/Kuaidaili/run/nodeRecords.ts';
import { MINUTE } from '../../../../durations.mts';

const NOON = 1_795_838_400_000;

/** Records of one node, which two workers share. */
function shared() {
	const list = new Set<string>();
	const known = (texts: readonly string[]) => new Set(texts.filter((text) => list.has(text)));
	const database = { isOut: false, questions: 0 };
	const records: Pick<NodeRecords, 'record' | 'known' | 'forget'> = {
		async record(texts) {
			const before = known(texts);
			for (const text of texts) list.add(text);
			return await Promise.resolve(before);
		},
		async known(texts) {
			database.questions += 1;
			return await Promise.resolve(database.isOut ? undefined : known(texts));
		},
		async forget(texts) {
			for (const text of texts) list.delete(text);
			await Promise.resolve();
		},
	};
	return { database, list, records: new PurchaseRecords(records as NodeRecords) };
}

const ORDER: PurchaseNames = { item: 'first/0/1', goods: ['goods g'] };
const CLICK: PurchaseNames = {
	...{ item: 'click/0/1', goods: ['goods g', 'by hand g'], askedGoods: 'goods g' },
};
const RENEWAL: PurchaseNames = {
	...{ item: 'first/0/order 1', goods: [], end: 'order 1 from end 5', work: 'at work 1' },
};

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOON));
afterEach(() => jest.restoreAllMocks());

const later = (minutes: number) => jest.spyOn(Date, 'now').mockReturnValue(NOON + minutes * MINUTE);

it('takes back what nobody had recorded before, and no more', async () => {
	const { list, records } = shared();
	await records.claim(ORDER, undefined);
	const before = [...list];
	const second = await records.claim({ ...ORDER, item: 'second/0/1' }, undefined);
	await second?.takeBack(false);
	expect([...list]).toEqual(before);
});

it.each([
	['in the same slot of two minutes', 0.5, true],
	['ten minutes later', 10, true],
	['twelve minutes later', 12, false],
])('holds the goods for ten minutes: a click %s', async (_when, minutes, isHeld) => {
	const { records } = shared();
	await records.claim(ORDER, undefined);
	later(minutes);
	const claim = await records.claim(CLICK, undefined);
	expect(claim).toMatchObject(
		isHeld ? { kind: 'bought', until: NOON + 12 * MINUTE } : { kind: 'free' },
	);
});

it('counts no goods that were held before a moment', async () => {
	const { records } = shared();
	await records.claim(ORDER, undefined);
	const first = await records.claim({ ...CLICK, askedSince: NOON }, undefined);
	expect(first).toMatchObject({ kind: 'free' });
	await first?.takeBack(false);
	later(2);
	await records.claim({ ...ORDER, item: 'second/0/1' }, undefined);
	const second = await records.claim({ ...CLICK, askedSince: NOON }, undefined);
	expect(second).toMatchObject({ kind: 'bought', until: NOON + 14 * MINUTE });
});

it('knows a key by what was bought for it', async () => {
	const { records } = shared();
	const once = { key: 'key k', goods: 'key k for g' };
	const keyed = (item: string, goods = once.goods): PurchaseNames => ({
		...{ item, goods: [], once: { ...once, goods } },
	});
	const kindOf = async (names: PurchaseNames) => (await records.claim(names, undefined))?.kind;
	const first = await records.claim(keyed('first/0/1'), undefined);
	expect(first).toMatchObject({ kind: 'free' });
	expect(await kindOf(keyed('second/0/1'))).toBe('keyUsed');
	expect(await kindOf(keyed('third/0/1', 'key k for h'))).toBe('keyOfOthers');
	expect(await kindOf({ ...keyed('first/0/1 after 5'), isOnceOwn: true })).toBe('free');
	expect(await records.find(once.key, ['7'])).toMatchObject({ isPaid: false, orderid: undefined });
	await records.notePaid(keyed('first/0/1'), '7', 'order 7');
	expect(await records.find(once.key, ['7'])).toMatchObject({ isPaid: true, orderid: '7' });
	expect(await records.find(once.key, [])).toMatchObject({ isPaid: true, orderid: undefined });
});

const RETRY: PurchaseNames = {
	...{ item: 'retry/0/1', goods: ['goods g'], askedGoods: 'by hand g' },
};

it('asks what was bought by hand, or paid from an end, only where somebody holds it at all', async () => {
	const { database, records } = shared();
	expect(await records.claim(RETRY, undefined)).toMatchObject({ kind: 'free' });
	expect(await records.claim(RENEWAL, undefined)).toMatchObject({ kind: 'free' });
	expect(database.questions).toBe(0);
	expect(await records.claim({ ...RETRY, item: 'second/0/1' }, undefined)).toMatchObject({
		kind: 'free',
	});
	expect(database.questions).toBe(1);
});

it.each([
	['who bought the goods', ORDER, RETRY],
	['what became of the renewal from the end', RENEWAL, { ...RENEWAL, item: 'second/0/order 1' }],
])('is not free where n8n records a purchase and then cannot say %s', async (_what, one, two) => {
	const { database, records } = shared();
	await records.claim({ ...one, work: undefined }, undefined);
	database.isOut = true;
	const claim = await records.claim({ ...two, work: undefined }, undefined);
	expect(claim).toMatchObject({ kind: 'atWork', until: undefined });
});

it('holds nothing any more after a request that has changed nothing, but for what was sent later', async () => {
	const { records } = shared();
	await records.claim(ORDER, undefined);
	await records.claim(RENEWAL, undefined);
	later(11);
	for (const names of [ORDER, RENEWAL]) await records.release(names, NOON);
	expect(await records.claim(CLICK, undefined)).toMatchObject({ kind: 'free' });
	const another = { ...RENEWAL, item: 'second/0/order 1' };
	expect(await records.claim(another, undefined)).toMatchObject({ kind: 'free' });
	for (const names of [ORDER, RENEWAL]) await records.release(names, NOON);
	expect(await records.claim({ ...CLICK, item: 'third/0/1' }, undefined)).toMatchObject({
		kind: 'bought',
	});
	expect(await records.claim({ ...RENEWAL, item: 'third/0/order 1' }, undefined)).toMatchObject({
		kind: 'atWork',
	});
});

it.each([
	[11, true],
	[12, false],
])(
	'knows %d hours later what any execution sent when a quarter of a day began: %s',
	async (hours, isSent) => {
		const { records } = shared();
		later(2 * 60);
		await records.claim(ORDER, undefined);
		later((2 + hours) * 60);
		expect(await records.isAnySent(['another/0/1'])).toBe(isSent);
		expect(await records.isAnySent(['another/0/2'])).toBe(false);
	},
);

it('finds what was paid for an item by its number, and lets one purchase alone take a result', async () => {
	const { records } = shared();
	await records.claim(ORDER, undefined);
	await records.notePaid(ORDER, '7', 'order 7');
	expect(await records.find(ORDER.item, ['6', '7'])).toMatchObject({
		orderid: '7',
		unclaimed: ['6'],
	});
	expect(await records.takeResult('order 7')).toBe(false);
	expect(await records.takeResult('order 6')).toBe(true);
	expect(await records.takeResult('order 6')).toBe(false);
});

it('takes no question of another worker for a record', async () => {
	const { list, records } = shared();
	// n8n records each question for an instant
	for (const text of [ORDER.item, `${ORDER.item}?`]) list.add(text);
	expect(await records.sentAmong([ORDER.item])).toEqual(new Set());
	expect(await records.claim(ORDER, undefined)).toMatchObject({ kind: 'free' });
});

it('reads the first execution of a chain back, digit by digit', async () => {
	const { records } = shared();
	await records.noteFirst('0123456789abcdef', 'fedcba9876543210');
	expect(await records.firstOf('0123456789abcdef')).toBe('fedcba9876543210');
	expect(await records.firstOf('ffffffffffffffff')).toBe('');
});

it('tells a chain of which nothing is noted from records that cannot be read', async () => {
	const { database, records } = shared();
	database.isOut = true;
	expect(await records.firstOf('0123456789abcdef')).toBeUndefined();
	const out = new PurchaseRecords({
		record: async () => await Promise.resolve(undefined),
	} as unknown as NodeRecords);
	expect(await out.noteFirst('0123456789abcdef', 'fedcba9876543210')).toBe(false);
});
