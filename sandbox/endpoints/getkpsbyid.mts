import { success, extractionLayout } from '../answers/answer.mts';
import { ACCOUNT_KEY, checkedOrder, EXTRACTION_CODES } from '../extraction/checkOrder.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { orderEndpoint } from './endpoint.mts';

/** Documented by examples only, so whatever could be an ID is one of a machine that the order does not have. */
const MACHINE_ID = /^[A-Za-z0-9][\w-]*$/;

export const getKpsById = orderEndpoint({
	path: '/api/getkpsbyid',
	hosts: ['kps'],
	rules: () => [perSecond(10)],
	message: (code) => EXTRACTION_CODES.message(code),
	wrongKey: ACCOUNT_KEY,
	servesUnusableOrders: true,
	// It is said to answer in three formats, has no parameter for them, and is shown with JSON for a
	// success and ERROR(...) for a failure. So failures come as with the others, a success as JSON.
	layout: extractionLayout,
	answer: async ({ call, order, service }) => {
		const dedicated = checkedOrder(order, 'KPS', call, service);
		const id = call.parameters.get('f_id');
		if (id === undefined || !MACHINE_ID.test(id)) throw EXTRACTION_CODES.refusal(-1, 'f_id');
		const machines = await service.products.standing.machinesOf(dedicated);
		const proxy = machines.find((machine) => machine.id === id)?.proxy;
		// The code for a machine that the order does not have is not documented.
		if (!proxy) throw EXTRACTION_CODES.refusal(3);

		service.extractions.record(order, { count: 1 }, call);
		const { address, port, exitAddress } = proxy;
		const data = { ip: address, port: String(port) };
		return {
			...success(exitAddress === undefined ? data : { ...data, public_ip: exitAddress }),
			fixedFormat: 'json',
		};
	},
});
