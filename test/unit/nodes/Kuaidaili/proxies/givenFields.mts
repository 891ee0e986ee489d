import { readExtractRequest } from '../../../../../nodes/Kuaidaili/actions/proxy/extract/fields.ts';
import {
	openProxy,
	PLAN_NAMES,
} from '../../../../../nodes/Kuaidaili/proxies/products/openProxy.ts';
import { isServiceField, type ServiceField } from '../../../../../nodes/shared/fields/field.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';

export interface Given {
	filters?: Record<string, unknown>;
	extraFields?: Record<string, unknown>;
	options?: Record<string, unknown>;
}

export type PlanName = (typeof PLAN_NAMES)[number];

export function read(plan: unknown, given: Given, check = true) {
	const { options = {}, ...fields } = given;
	const values: Record<string, unknown> = {
		plan,
		num: 7,
		product: 'OPS',
		output: 'eachProxy',
		...fields,
	};
	return readExtractRequest((name) => values[name], { options, check });
}

export function sent(plan: PlanName, given: Given, check = true) {
	return read(plan, given, check).parameters;
}

export function extrasOf(plan: PlanName, given: Given, check = true) {
	return read(plan, given, check).extras;
}

export function refusalOf(plan: PlanName, given: Given, check = true): InvalidFieldError {
	try {
		read(plan, given, check);
	} catch (error) {
		if (error instanceof InvalidFieldError) return error;
		throw error;
	}
	throw new Error('Nothing was refused');
}

/** One field in the collection that it belongs to; the separator with what it needs. */
export function alone({ name, serviceName }: ServiceField, value: unknown): Given {
	if (openProxy.filters.some((field) => field.name === name)) return { filters: { [name]: value } };
	if (openProxy.extras.some((field) => field.name === name)) {
		return { extraFields: { [name]: value } };
	}
	const format = serviceName === 'sep' ? { format: 'text' } : {};
	return { options: { ...format, [name]: value } };
}

export const ALL_FIELDS = [...openProxy.filters, ...openProxy.extras, ...openProxy.options].filter(
	isServiceField,
);

/** A value for each field that is good and that changes something, and the text that is sent for it. */
export const GOOD: Readonly<Record<string, [value: unknown, text: string]>> = {
	an_an: [true, '1'],
	an_ha: [true, '1'],
	an_tr: [true, '1'],
	area: ['北京，上海', '北京,上海'],
	area_ex: [['台湾', '香港'], '台湾,香港'],
	carrier: [2, '2'],
	ipstart: ['120.52., 113.', '120.52.,113.'],
	ipstart_ex: [['120.52.'], '120.52.'],
	method: [2, '2'],
	port: ['8080、3128', '8080,3128'],
	port_ex: [[80, 8080], '80,8080'],
	protocol: [1, '1'],
	dedup: [true, '1'],
	quality: [1, '1'],
	f_loc: [true, '1'],
	f_an: [true, '1'],
	f_pr: [true, '1'],
	f_sp: [true, '1'],
	sort: [1, '1'],
	format: ['xml', 'xml'],
	sep: [4, '4'],
};
