import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { toCollection } from '../../../shared/fields/fieldCollection';
import { readRequiredField, toMembers, toProperty, type Field } from '../../../shared/fields/field';
import { flag } from '../../../shared/fields/valueKinds';
import { InvalidFieldError } from '../../../shared/fields/invalidFieldError';
import { isOneOf } from '../../../shared/guards';
import { formatNumber } from '../../../shared/wording';
import { isOn, optionsCollection, readCallOptions } from '../../parameters/callOptions';
import { accessOrderOfItem, orderProperty } from '../../parameters/orderAccess';
import type { Operation, OperationResult } from '../operation';
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

const OUTPUTS = ['eachProxy', 'allInOne'] as const;

const waitForPerMinuteCapField: Field = {
	name: 'waitForPerMinuteCap',
	displayName: 'Wait for the Per-Minute Cap',
	description:
		"Whether to wait, 65 seconds at most, when the order's limit of proxies per minute is used up. Otherwise the node stops with a message.",
	kind: flag,
};

const properties: INodeProperties[] = [
	orderProperty,
	toProperty(planField),
	toProperty(numField),
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{
				name: 'All in One Item',
				value: 'allInOne',
				description: 'One item with the number of proxies and the list of them',
			},
			{
				name: 'Each Proxy as an Item',
				value: 'eachProxy',
				description: 'As many items as there are proxies, ready for the next node',
			},
		],
		default: 'eachProxy',
		description: 'How the proxies are handed to the next node',
	},
	toCollection(FILTERS),
	toCollection(EXTRA_FIELDS),
	optionsCollection(toMembers([formatField, sepField, sortField, waitForPerMinuteCapField])),
];

function readChoice<T extends string>(label: string, value: unknown, allowed: readonly T[]): T {
	if (isOneOf(value, allowed)) return value;
	throw new InvalidFieldError(label, value, `Allowed: ${allowed.join(', ')}.`);
}

function shortfallHint(found: number, total: number): string | undefined {
	if (found === total) return undefined;
	if (found === 0) return "No proxy matches the filters; loosen or remove some of the 'Filters'.";
	return `The service gave ${formatNumber(found)} of ${formatNumber(total)} proxies; no more match at the moment.`;
}

function toRecords(records: ExtractedProxy[], output: (typeof OUTPUTS)[number]): IDataObject[] {
	// Nothing found gives nothing to the next node, in either form
	if (output === 'eachProxy' || records.length === 0) return records;
	return [{ count: records.length, proxies: records }];
}

async function execute(context: IExecuteFunctions, itemIndex: number): Promise<OperationResult> {
	const parameter = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
	const callOptions = readCallOptions(parameter('options'));
	const { options, check } = callOptions;
	const output = readChoice('Output', parameter('output'), OUTPUTS);
	const total = Number(readRequiredField(numField, parameter('num'), { check }));
	// Also without checks: it decides how many calls there are
	if (!(total >= 1)) readRequiredField(numField, parameter('num'));
	const { plan, parameters, requested } = extractParameters(parameter, check);
	const waitForMinuteCap = isOn(waitForPerMinuteCapField, options);

	const { caller } = await accessOrderOfItem(context, itemIndex, callOptions);
	const proxies = await extractProxies(caller, {
		plan: PLANS[plan],
		total,
		parameters,
		requested,
		waitForMinuteCap,
	});
	return { records: toRecords(proxies, output), hint: shortfallHint(proxies.length, total) };
}

export const extractOperation: Operation = {
	option: {
		name: 'Extract',
		value: 'extract',
		action: 'Extract proxies',
		description: 'Extract open proxies from an order; each can become an item',
	},
	properties,
	execute,
};
