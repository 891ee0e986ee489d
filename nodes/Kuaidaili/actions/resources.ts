import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { shownWith } from '../../shared/fields/conditions';
import type { ItemOperation, RunOperation, SharedOperation } from '../operation';
import type { PurchaseOperation } from '../purchase/contract';
import { accountGetBalance } from './account/getBalance.operation';
import { areaGetAll } from './area/getAll.operation';
import { areaGetCode } from './area/getCode.operation';
import { autoRenewalDisable } from './autoRenewal/disable.operation';
import { autoRenewalEnable } from './autoRenewal/enable.operation';
import { cityGetAll } from './city/getAll.operation';
import { orderClose } from './order/close.operation';
import { orderCreate } from './order/create.operation';
import { orderGetAll } from './order/getAll.operation';
import { orderGet } from './order/get.operation';
import { orderGetIpBalance } from './order/getIpBalance.operation';
import { orderGetTraffic } from './order/getTraffic.operation';
import { orderRenew } from './order/renew.operation';
import { pageCrawl } from './page/crawl.operation';
import { pageOpen } from './page/open.operation';
import { privateProxyResourceGetAll } from './privateProxyResource/getAll.operation';
import { proxyCheck } from './proxy/check.operation';
import { proxyExtract } from './proxy/extract.operation';
import { proxyGetLogin } from './proxy/getLogin.operation';
import { tunnelChangeIp } from './tunnel/changeIp.operation';
import { tunnelGetCurrentIp } from './tunnel/getCurrentIp.operation';
import { userAgentGetAll } from './userAgent/getAll.operation';
import { whitelistAdd } from './whitelist/add.operation';
import { whitelistGet } from './whitelist/get.operation';
import { whitelistGetOwnIp } from './whitelist/getOwnIp.operation';
import { whitelistKeepOwnIp } from './whitelist/keepOwnIp.operation';
import { whitelistRemove } from './whitelist/remove.operation';
import { whitelistReplace } from './whitelist/replace.operation';

export type Operation = ItemOperation | SharedOperation | RunOperation | PurchaseOperation;

interface Resource {
	readonly option: INodePropertyOptions & { readonly value: string };
	readonly operations: readonly Operation[];
	/**
	 * The value of the operation that the menu opens with. n8n saves no value that equals the default, so
	 * changing it changes saved workflows. It may neither spend money nor do what cannot be undone.
	 */
	readonly defaultOperation: string;
}

/**
 * Every resource of the node with its operations, both in the order of the menus and of n8n's list of
 * actions: first what most people want, then by name.
 */
export const RESOURCES: readonly Resource[] = [
	{
		option: {
			name: 'Page',
			value: 'page',
			description: 'Web pages, opened through the proxies of an order',
		},
		operations: [pageOpen, pageCrawl],
		defaultOperation: 'open',
	},
	{
		option: {
			name: 'Proxy',
			value: 'proxy',
			description: 'The proxies of an order',
		},
		operations: [proxyExtract, proxyCheck, proxyGetLogin],
		defaultOperation: 'extract',
	},
	{
		option: {
			name: 'Order',
			value: 'order',
			description: 'Proxy orders. Creating and renewing them spends money.',
		},
		operations: [
			orderClose,
			orderCreate,
			orderGet,
			orderGetIpBalance,
			orderGetAll,
			orderGetTraffic,
			orderRenew,
		],
		defaultOperation: 'getAll',
	},
	{
		option: {
			name: 'Account',
			value: 'account',
			description: 'The account that pays for orders',
		},
		operations: [accountGetBalance],
		defaultOperation: 'getBalance',
	},
	{
		option: {
			name: 'Area',
			value: 'area',
			description:
				'Places of overseas proxies and Tunnel Pro, and the codes of provinces and cities in China',
		},
		operations: [areaGetCode, areaGetAll],
		defaultOperation: 'getAll',
	},
	{
		option: {
			name: 'Auto-Renewal',
			value: 'autoRenewal',
			description: 'Automatic renewal of prepaid orders by Kuaidaili',
		},
		operations: [autoRenewalDisable, autoRenewalEnable],
		defaultOperation: 'enable',
	},
	{
		option: {
			name: 'City',
			value: 'city',
			description: 'Places where dedicated proxies (KPS) can be ordered, and how many are left',
		},
		operations: [cityGetAll],
		defaultOperation: 'getAll',
	},
	{
		option: {
			name: 'Private Proxy Resource',
			value: 'privateProxyResource',
			description: 'Places and carriers that the IPs of a private proxy order (DPS) can come from',
		},
		operations: [privateProxyResourceGetAll],
		defaultOperation: 'getAll',
	},
	{
		option: {
			name: 'Tunnel',
			value: 'tunnel',
			description: 'The IP addresses that a tunnel uses',
		},
		operations: [tunnelChangeIp, tunnelGetCurrentIp],
		defaultOperation: 'getCurrentIp',
	},
	{
		option: {
			name: 'User Agent',
			value: 'userAgent',
			description: 'User-Agent strings of current browsers for requests through proxies',
		},
		operations: [userAgentGetAll],
		defaultOperation: 'getAll',
	},
	{
		option: {
			name: 'Whitelist',
			value: 'whitelist',
			description: "IP addresses that may use an order's proxies without a login",
		},
		operations: [
			whitelistAdd,
			whitelistGet,
			whitelistGetOwnIp,
			whitelistKeepOwnIp,
			whitelistRemove,
			whitelistReplace,
		],
		defaultOperation: 'get',
	},
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
		default: 'page',
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
