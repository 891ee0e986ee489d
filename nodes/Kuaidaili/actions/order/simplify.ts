import type { IDataObject } from 'n8n-workflow';

import type { Field } from '../../../shared/fields/field';
import { toggle } from '../../../shared/fields/kinds';
import { toRecord, type UnknownRecord } from '../../../shared/guards';
import { orderItem } from '../../../shared/orders/order';
import type { EpochMs } from '../../../shared/service/chinaTime';
import type { CallContext } from '../../run/operation';

export const simplifyField: Field = {
	name: 'simplify',
	displayName: 'Simplify',
	description: 'Whether to return a simplified version of the response instead of the raw data',
	kind: toggle({ preset: true }),
};

/** The option that was chosen; without one, agents get the simplified version, which costs them less. */
export function isSimplified({ textOf }: CallContext, isForAgent: boolean): boolean {
	return textOf(simplifyField.name) === undefined ? isForAgent : textOf(simplifyField.name) === '1';
}

const SIMPLE_FIELDS = ['text', 'orderid', 'productName', 'payTypeName', 'expiresAt', 'daysLeft'];

/** Which order it is, when it ends, and what is left, by the clock of the service. */
export function simplifiedOrder(order: UnknownRecord, now: EpochMs): IDataObject {
	const entries = Object.entries(orderItem(order, now));
	return toRecord(Object.fromEntries(entries.filter(([name]) => SIMPLE_FIELDS.includes(name))));
}
