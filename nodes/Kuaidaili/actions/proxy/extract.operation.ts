import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { toCollection } from '../../../shared/fields/fieldCollection';
import { readRequiredField, toMembers, toProperty, type Field } from '../../../shared/fields/field';
import { choice, flag } from '../../../shared/fields/valueKinds';
import { orderProperty } from '../../../shared/orders/orderField';
import { formatNumber } from '../../../shared/wording';
import { isOn, optionsCollection } from '../../parameters/callOptions';
import type { Item, ItemOperation, OperationResult } from '../operation';
import { extractProxies } from './extract/extractProxies';
import {
	EXTRA_FIELDS,
	FILTERS,
	formatField,
	numField,
	planField,
	sepField,
	sortField,
} from './extract/fields';
import { PLANS } from './extract/plans';
import type { ExtractedProxy } from './extract/proxyEntry';
import { extractParameters } from './extract/parameters';

const outputField: Field = {
	name: 'output',
	displayName: 'Output',
	description: 'What the output items look like',
	kind: choice(
		[
			{
				name: 'All in One Item',
				value: 'allInOne',
				description: 'A single item with the count and a list of the proxies',
			},
			{
				name: 'Each Proxy as an Item',
				value: 'eachProxy',
				description: 'One item per proxy, ready for the next node',
			},
		],
		{ preset: 'eachProxy' },
	),
};

const waitForPerMinuteCapField: Field = {
	name: 'waitForPerMinuteCap',
	displayName: 'Wait for the Per-Minute Cap',
	description:
		'Whether to wait up to 65 seconds when the order has reached its limit of proxies per minute. Otherwise the node stops with an error.',
	kind: flag,
};

const properties: INodeProperties[] = [
	orderProperty,
	toProperty(planField),
	toProperty(numField),
	toProperty(outputField),
	toCollection(FILTERS),
	toCollection(EXTRA_FIELDS),
	optionsCollection(toMembers([formatField, sepField, sortField, waitForPerMinuteCapField])),
];

function shortfallHint(found: number, total: number): string | undefined {
	if (found === total) return undefined;
	if (found === 0) return "No proxies match. Relax or remove some of the 'Filters'.";
	return `Only ${formatNumber(found)} of ${formatNumber(total)} proxies were found. No more match right now.`;
}

function toRecords(records: ExtractedProxy[], output: string): IDataObject[] {
	// Nothing found gives nothing to the next node, in either form
	if (output === 'eachProxy' || records.length === 0) return records;
	return [{ count: records.length, proxies: records }];
}

async function execute(item: Item): Promise<OperationResult> {
	const valueOf = (name: string): unknown => item.parameter(name);
	const { options, check } = item.callOptions();
	const output = readRequiredField(outputField, valueOf(outputField.name));
	const total = Number(readRequiredField(numField, valueOf(numField.name), { check }));
	// Also without checks: it decides how many calls there are
	if (!(total >= 1)) readRequiredField(numField, valueOf(numField.name));
	const { plan, parameters, requested } = extractParameters(valueOf, check);
	const waitForMinuteCap = isOn(waitForPerMinuteCapField, options);

	const proxies = await extractProxies(item.extract, {
		plan: PLANS[plan],
		total,
		parameters,
		requested,
		waitForMinuteCap,
	});
	return { records: toRecords(proxies, output), hint: shortfallHint(proxies.length, total) };
}

export const extractOperation: ItemOperation = {
	option: {
		name: 'Extract',
		value: 'extract',
		action: 'Extract proxies',
		description: 'Get open proxies from an order, one per item or all in one item',
	},
	properties,
	execute,
};
