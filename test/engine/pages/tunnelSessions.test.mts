import type { IDataObject } from 'n8n-workflow';

import type { OrderKind } from '../../operations/world.mts';
import { useProcessClock } from '../support/processClock.mts';
import { until } from '../../virtualTime.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { detailsOf, outcomesOf, usePages, type PageOpener } from './pageOpener.mts';

const { opener } = usePages();
const clock = useProcessClock();

const THROUGH_TUNNEL = { connection: 'tunnel' };
const SESSION = { sessionKey: 'A' };

/** Lets time pass for the node and the service while a page is open, counted from 1. */
async function passDuring(me: PageOpener, page: number, seconds: number): Promise<void> {
	await until(() => me.visits.length >= page);
	clock.advance(seconds * 1000);
	me.sandbox.clock.advance(seconds * 1000);
}

function exitsOf(me: PageOpener): string[] {
	return me.visits.map(({ through }) => through?.exit ?? '');
}

describe('a session', () => {
	it.each<[string, OrderKind, string, number, IDataObject]>([
		['a tunnel that changes it with each request', 'tps', 'TPS', 30, {}],
		['a tunnel that changes it each minute', 'tpsMinute', 'TPS', 60, {}],
		['a Tunnel Pro', 'tpsPro', 'TPS_PRO', 60, {}],
		['a Tunnel Pro with an interval', 'tpsPro', 'TPS_PRO', 15, { sessionMinutes: 0.25 }],
		['an overseas tunnel', 'fps', 'FPS', 600, THROUGH_TUNNEL],
		['one with an interval', 'fps', 'FPS', 60, { ...THROUGH_TUNNEL, sessionMinutes: 1 }],
	])('lasts as long as its IP: %s', async (_name, kind, product, seconds, fields) => {
		const me = opener(kind, product);
		const urls = Array.from({ length: 6 }, () => me.page('/slow?ms=200'));
		const opening = me.open(urls, { ...SESSION, ...fields });
		await passDuring(me, 2, seconds - 5);
		await passDuring(me, 4, 6);
		const { items, error } = await opening;
		expect(error).toBeUndefined();
		const restarts = items.map((item) => detailsOf(item).sessionRestarted === true);
		expect(restarts).toEqual([false, false, false, false, true, false]);
		const exits = exitsOf(me);
		const [first] = exits;
		const last = exits[5];
		expect(exits).toEqual([first, first, first, first, last, last]);
		expect(last).not.toBe(first);
	});

	it.each([
		['TPS_PRO', 'tpsPro', {}],
		['FPS', 'fps', THROUGH_TUNNEL],
	] as const)('is refused where its IP would not stay: %s', async (product, kind, fields) => {
		const me = opener(kind, product);
		const { error } = await me.open([me.page('/article')], {
			...SESSION,
			...fields,
			sessionMinutes: 0,
		});
		expect(error?.message).toMatch(/^'IP Change Interval' can't be "Every Request"/);
		expect(me.proxied).toEqual([]);
	});

	it('is none where a page has no key, so it never restarts', async () => {
		const me = opener('tps', 'TPS');
		const { items } = await me.open([me.page('/status/503')], {}, { settings: CONTINUE });
		expect(outcomesOf(items[0])).toBe('status 503, status 503, status 503');
		expect(detailsOf(items[0]).sessionRestarted).toBeUndefined();
	});
});

it('lets a run of one page go between the pages of a long run', async () => {
	const me = opener('tps', 'TPS');
	Object.assign(me.world.theOrder, { maxRps: 10 });
	const paths = Array.from({ length: 30 }, (_, index) => me.page(`/bytes/${index + 1}`));
	const long = me.open(paths, { options: { pagesAtATime: 30 } });
	await until(() => me.visits.length >= 2);
	const { error } = await me.open([me.page('/article')]);
	expect(error).toBeUndefined();
	expect(me.visits.length).toBeLessThan(10);
	await long;
});

describe('a tunnel that keeps its IP', () => {
	const hintsOf = async (kind: OrderKind, product: string, fields: IDataObject = {}) => {
		const me = opener(kind, product);
		const urls = Array.from({ length: 12 }, () => me.page('/article'));
		const { hints } = await me.open(urls, fields);
		return hints.map(({ message }) => message).join(' ');
	};

	it('longer than the pages need says from how many IPs they came', async () => {
		expect(await hintsOf('tpsMinute', 'TPS')).toContain(
			'This tunnel keeps an IP for 60 seconds: 12 pages came from about 1 IP, or as many for each channel of the order.',
		);
	});

	it.each<[what: string, kind: OrderKind, product: string, fields: IDataObject]>([
		['for one request', 'tps', 'TPS', {}],
		['for as long as the session of each page', 'tpsPro', 'TPS_PRO', { sessionMinutes: 1 }],
		['for a session that wants it', 'tpsMinute', 'TPS', SESSION],
	])('%s has nothing to say', async (_what, kind, product, fields) => {
		expect(await hintsOf(kind, product, fields)).not.toContain('keeps an IP');
	});
});
