import type { INodeProperties } from 'n8n-workflow';

import { shownWith } from '../../shared/fields/shownWith';
import { accountResource } from './account/account.resource';
import { areaResource } from './area/area.resource';
import { autoRenewalResource } from './autoRenewal/autoRenewal.resource';
import { cityResource } from './city/city.resource';
import type { Operation, Resource } from './resource';
import { orderResource } from './order/order.resource';
import { privateProxyResource } from './privateProxyResource/privateProxyResource.resource';
import { proxyResource } from './proxy/proxy.resource';
import { tunnelResource } from './tunnel/tunnel.resource';
import { userAgentResource } from './userAgent/userAgent.resource';
import { whitelistResource } from './whitelist/whitelist.resource';

/** Every resource of the node, in the order of the menu. */
export const RESOURCES: readonly Resource[] = [
	accountResource,
	areaResource,
	autoRenewalResource,
	cityResource,
	orderResource,
	privateProxyResource,
	proxyResource,
	tunnelResource,
	userAgentResource,
	whitelistResource,
];

/** @returns undefined for names that this version does not have, such as n8n's "Custom API Call" */
export function findOperation(resource: string, operation: string): Operation | undefined {
	return RESOURCES.find(({ option }) => option.value === resource)?.operations.find(
		({ option }) => option.value === operation,
	);
}

function operationSelect({ option, operations, defaultOperation }: Resource): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [option.value] } },
		options: operations.map((operation) => operation.option),
		default: defaultOperation,
	};
}

function fieldsOf(resource: Resource): INodeProperties[] {
	return resource.operations.flatMap(({ option, properties }) =>
		shownWith({ resource: [resource.option.value], operation: [option.value] }, properties),
	);
}

/** All fields of the node: the menus first, then the fields of each operation. */
export const nodeProperties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: RESOURCES.map(({ option }) => option),
		default: 'proxy',
	},
	...RESOURCES.map(operationSelect),
	...RESOURCES.flatMap(fieldsOf),
];

function actionTexts(): Record<string, string> {
	const entries = RESOURCES.flatMap(({ option: resource, operations }) =>
		operations.map(({ option }): [string, string] => [
			`${resource.value}: ${option.value}`,
			option.action,
		]),
	);
	return Object.fromEntries(entries);
}

/** Stands under the node on the canvas: the action that was chosen, as n8n's list of actions names it. */
export const nodeSubtitle = `={{ (${JSON.stringify(actionTexts())})[$parameter["resource"] + ": " + $parameter["operation"]] }}`;
