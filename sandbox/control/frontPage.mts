import { ORDER_SORTS } from '../accounts/manyOrders.mts';
import type { ReadyMadeKeys } from '../accounts/readyMade.mts';
import { ENDPOINTS } from '../endpoints/table.mts';
import { FAULT_KINDS } from '../faults/readFault.mts';
import { PAGE_ANSWERS } from '../pages/pageFaults.mts';
import { table } from './table.mts';

/** What somebody reads who opens the control port in a browser. */
export function frontPage(keys: ReadyMadeKeys): string {
	return `This is a local simulation of the Kuaidaili API for development and tests.
Its accounts, orders, prices, and proxies are made up. It never contacts the real service.

Available on this port:

${table([
	['GET /ip', 'your IP address, or the one of the proxy you used'],
	['GET /log', 'requests, payments and extractions in order, as readable text'],
	['GET /requests', 'all requests to the service so far (DELETE clears them)'],
	['GET /orders', 'all orders with their keys'],
	['POST /orders', 'add orders: {"count": 1000, "fromDay": -5, "toDay": 60, "sort": "tps"}'],
	['GET /accounts', 'all accounts with their balances'],
	['GET /ledger', 'every payment, including those whose response was lost'],
	[
		'GET /extractions',
		'how many proxies each request handed out, including those whose response was lost',
	],
	['POST /faults', 'turn on faults, as one JSON object or a list'],
	['GET /faults', 'the faults that are turned on (DELETE turns them off)'],
	[
		'GET /proxy-requests',
		'all requests to the proxies, with the exit each one used (DELETE clears them)',
	],
	['POST /proxy-faults', 'make proxies fail: {"status": 457, "orderId": "…", "times": 2}'],
	['GET /proxy-faults', 'the proxy faults that are turned on (DELETE turns them off)'],
	['GET /pages', 'the addresses of the pages; their front page lists them'],
	['GET /visits', 'all visits to the pages, with the proxy of each (DELETE clears them)'],
	['POST /page-faults', 'block visitors: {"answer": "captcha", "exit": "127.3.4.5", "times": 2}'],
	['GET /page-faults', 'the page faults that are turned on (DELETE turns them off)'],
	['POST /clock', 'move the clock: {"advanceMs": 60000} or {"set": "2026-01-31T12:00:00Z"}'],
])}

A fault: {"kind": "status", "status": 502, "path": "/api/getproxy", "times": 2}
Kinds: ${FAULT_KINDS.join(', ')}

A page fault has a status or an answer: ${PAGE_ANSWERS.join(', ')}

Added orders expire between the two days, counted from now. Without a sort, all sorts take turns.
Sorts: ${ORDER_SORTS.join(', ')}

Endpoints of the service:

${table(ENDPOINTS.map(({ path, hosts, methods, key }) => [path, hosts.join(', '), methods.join(', '), `${key} key`]))}

Ready-made keys:

${table(Object.entries(keys).map(([name, { secretId, secretKey }]) => [name, secretId, secretKey]))}
`;
}
