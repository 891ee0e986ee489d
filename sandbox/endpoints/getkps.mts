import { entryOf, readExtras } from '../extraction/entry.mts';
import { extractionEndpoint, readCount, readProtocol } from '../extraction/extractionEndpoint.mts';
import { EXTRACTION_CODES } from '../extraction/checkOrder.mts';
import { drawFrom } from '../random.mts';

export const getKps = extractionEndpoint({
	path: '/api/getkps',
	host: 'kps',
	product: 'KPS',
	read: (own) => {
		readProtocol(own);
		return {
			num: readCount(own),
			inFixedOrder: own.choice('sort', [0, 1], 0) === 1,
			extras: readExtras(own),
			login: undefined,
		};
	},
	// Asked for more than there are, it lists all: nothing is documented about that.
	extract: async ({ order, request, service }) => {
		const machines = await service.products.standing.machinesOf(order);
		const proxies = machines.map(({ proxy }) => proxy);
		const chosen = request.inFixedOrder
			? proxies.slice(0, request.num)
			: drawFrom(proxies, request.num, service.random);
		if (chosen.length === 0) throw EXTRACTION_CODES.refusal(3);
		const now = service.clock.now();
		return { entries: chosen.map((proxy) => entryOf(proxy, request, now)) };
	},
});
