import { ORDER_SORTS } from '../accounts/manyOrders.mts';
import type { ReadyMadeKeys } from '../accounts/readyMade.mts';
import { ENDPOINTS } from '../endpoints/table.mts';
import { FAULT_KINDS } from '../faults/readFault.mts';
import { table } from './table.mts';

/** What somebody reads who opens the control port in a browser. */
export function frontPage(keys: ReadyMadeKeys): string {
	return `This is a local stand-in of the Kuaidaili API, for development and tests.
Accounts, orders, prices and proxies in it are invented. It knows nothing of the real service.

On this port:

${table([
	['GET /ip', 'your address, or that of the proxy you came through'],
	['GET /log', 'requests and payments in their order, to be read'],
	['GET /requests', 'what was asked of the service so far (DELETE forgets it)'],
	['GET /orders', 'all orders, with the keys of those that were created'],
	['POST /orders', 'add orders: {"count": 1000, "fromDay": -5, "toDay": 60, "sort": "tps"}'],
	['GET /accounts', 'all accounts, with their balance'],
	['GET /ledger', 'every time money was taken from a balance, also when the answer was lost'],
	['POST /faults', 'switch faults on, one JSON object or a list'],
	['GET /faults', 'the faults that are switched on (DELETE switches them off)'],
	['GET /proxy-requests', 'what came to the proxies, and where it left them (DELETE forgets it)'],
	['POST /proxy-faults', 'make the proxies refuse: {"status": 457, "orderId": "…", "times": 2}'],
	['GET /proxy-faults', 'the refusals that are switched on (DELETE switches them off)'],
	['POST /clock', 'move the clock: {"advanceMs": 60000} or {"set": "2026-01-31T12:00:00Z"}'],
])}

A fault: {"kind": "status", "status": 502, "path": "/api/getproxy", "times": 2}
Kinds: ${FAULT_KINDS.join(', ')}

Orders expire from one day to the other, days from now; without a sort all come in turn.
Sorts: ${ORDER_SORTS.join(', ')}

Endpoints of the service:

${table(ENDPOINTS.map(({ path, hosts, methods, key }) => [path, hosts.join(', '), methods.join(', '), `${key} key`]))}

Keys that are ready to use:

${table(Object.entries(keys).map(([name, { secretId, secretKey }]) => [name, secretId, secretKey]))}
`;
}
