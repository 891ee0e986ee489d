import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { listCases } from './listCases.mts';
import type { OperationCase } from './operationCase.mts';
import { orderCases } from './orderCases.mts';
import { proxyCases } from './proxyCases.mts';

export { nodeOperations, offeredValues } from './nodeOperations.mts';
export type { OperationCase } from './operationCase.mts';
export { tryOperation } from './tryOperation.mts';

/** Every operation of the node, in every way that differs for n8n or for the service. */
export function operationCases(sandbox: Sandbox): OperationCase[] {
	return [...listCases(sandbox), ...proxyCases(sandbox), ...orderCases(sandbox)];
}
