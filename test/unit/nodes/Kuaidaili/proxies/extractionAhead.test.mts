import {
	pagesAhead,
	spareProxies,
	type RunProgress,
} from '../../../../../nodes/Kuaidaili/proxies/extractionAhead.ts';

const progress: RunProgress = {
	atWork: 20,
	opened: 300,
	failed: 0,
	expired: 0,
	leaseMs: 300,
	untilNextMs: 550,
};

it.each<[string, Partial<RunProgress>, number]>([
	['none before a page was opened', { opened: 0 }, 0],
	['none where as many have failed', { opened: 12, failed: 12 }, 0],
	['none where more than a fiftieth of them ended before a page got them', { expired: 7 }, 0],
	['as ever where a fiftieth ended', { expired: 6, leaseMs: 551 }, 20],
	['one for each at work as long as nobody knows how long pages take', { leaseMs: undefined }, 20],
	['one for each at work where pages take longer than the next call', { leaseMs: 551 }, 20],
	['two for each where two pages are opened until the next call', { leaseMs: 549 }, 40],
	['as many as can be opened until the next call', { leaseMs: 100 }, 100],
	['no more than a third of the opened pages', { leaseMs: 10 }, 100],
	['one for each at work, even if few were opened', { opened: 3 }, 20],
	['one for each at work while few were opened: the site may block', { opened: 60 }, 20],
	['a whole number', { opened: 100 }, 33],
])('%s', (_what, changes, expected) => {
	expect(pagesAhead({ ...progress, ...changes })).toBe(expected);
});

it.each<[string, Partial<RunProgress>, number, number]>([
	['none where no proxy has failed', {}, 100, 0],
	['one for each that is going to fail', { failed: 30 }, 20, 4],
	['at least one, however few pages are left', { failed: 3, atWork: 1 }, 0, 1],
	['one for each fifty opened pages at most', { failed: 100 }, 1000, 6],
	['none where few pages were opened', { opened: 49, failed: 10 }, 100, 0],
])('spare proxies: %s', (_what, changes, upcoming, expected) => {
	expect(spareProxies({ ...progress, ...changes }, upcoming)).toBe(expected);
});
