import { aliveCheck } from '../extraction/aliveCheck.mts';

// Its pace is not documented either: it is that of the same check of private proxies.
export const checkOpsValid = aliveCheck({
	path: '/api/checkopsvalid',
	host: 'base',
	isFor: (order) => order.product === 'OPS',
	stateOf: (place, { service: { supply } }) => supply.find(place)?.works ?? false,
});
