import { CITY_FIELDS } from '../../../nodes/Kuaidaili/actions/city/fields';
import { ORDER_FIELDS } from '../../../nodes/Kuaidaili/actions/order/create/fields';
import {
	lifetimeField,
	RENEWAL_FIELDS,
	renewalOfField,
} from '../../../nodes/Kuaidaili/actions/order/renew/fields';
import { renewWhenField } from '../../../nodes/Kuaidaili/actions/order/renew/renewWhen';
import { numField, planField } from '../../../nodes/Kuaidaili/actions/proxy/extract/fields';
import type { Field } from '../../../nodes/shared/fields/field';
import { orderField } from '../../../nodes/shared/orders/orderField';
import { expiringWithin } from '../../../nodes/shared/orders/timeWindow';
import { always, type PanelEntry, type PanelTable } from './panelTable.mts';

const PURCHASE_NOTICE =
	'Each input item is one purchase. It is paid at once from the account balance, without asking again.';

const fromVariants = (fields: readonly Field[]): PanelEntry[] =>
	fields.map((field) => ({ shows: field, when: field.when ?? {} }));

const OPTIONS = always('Options');

export const CREATE_PANEL: PanelTable = [
	always(PURCHASE_NOTICE),
	...fromVariants(ORDER_FIELDS),
	OPTIONS,
];

const onlyExpiring = { [renewWhenField.name]: ['expiring'] };

export const RENEW_PANEL: PanelTable = [
	always(PURCHASE_NOTICE),
	always(orderField),
	always(renewWhenField),
	{ shows: expiringWithin.amount, when: onlyExpiring },
	{ shows: expiringWithin.unit, when: onlyExpiring },
	always(renewalOfField),
	{ shows: lifetimeField, when: { [renewalOfField.name]: ['perIp'] } },
	...fromVariants(RENEWAL_FIELDS),
	OPTIONS,
];

export const CITY_PANEL: PanelTable = [
	...fromVariants(CITY_FIELDS),
	always('Return All'),
	always('Limit'),
	OPTIONS,
];

export const EXTRACT_PANEL: PanelTable = [
	always(orderField),
	always(planField),
	always(numField),
	always('Output'),
	always('Filters'),
	{ shows: 'Extra Fields', when: { plan: ['vip', 'svip'] } },
	OPTIONS,
];
