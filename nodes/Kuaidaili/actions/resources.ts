import type { INodeProperties } from 'n8n-workflow';

import { shownWith } from '../../shared/fields/field';
import type { Operation } from '../run/operation';
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
import { whitelistAdd, whitelistRemove, whitelistReplace } from './whitelist/change.operation';
import { whitelistGet } from './whitelist/get.operation';
import { whitelistGetOwnIp } from './whitelist/getOwnIp.operation';
import { whitelistKeepOwnIp } from './whitelist/keepOwnIp.operation';

interface Resource {
	readonly name: string;
	readonly value: string;
	readonly description: string;
	readonly operations: readonly Operation[];
	/**
	 * The operation that the menu opens with. n8n saves no value that equals the default, so changing it changes saved workflows. It
	 * may neither spend money nor do what cannot be undone.
	 */
	readonly defaultOperation: Operation;
}

/** Every resource of the node with its operations. The menus and n8n's list of actions have both by name. */
export const RESOURCES: readonly Resource[] = [
	{
		name: 'Account',
		value: 'account',
		description: 'The account that pays for orders',
		operations: [accountGetBalance],
		defaultOperation: accountGetBalance,
	},
	{
		name: 'Area',
		value: 'area',
		description:
			'Places of overseas proxies and Tunnel Pro, and the codes of provinces and cities in China',
		operations: [areaGetCode, areaGetAll],
		defaultOperation: areaGetAll,
	},
	{
		name: 'Auto-Renewal',
		value: 'autoRenewal',
		description: 'Automatic renewal of prepaid orders by Kuaidaili',
		operations: [autoRenewalDisable, autoRenewalEnable],
		defaultOperation: autoRenewalEnable,
	},
	{
		name: 'City',
		value: 'city',
		description: 'Places where dedicated proxies (KPS) can be ordered, and how many are left',
		operations: [cityGetAll],
		defaultOperation: cityGetAll,
	},
	{
		name: 'Order',
		value: 'order',
		description: 'Proxy orders. Creating and renewing them spends money.',
		operations: [
			orderClose,
			orderCreate,
			orderGet,
			orderGetIpBalance,
			orderGetAll,
			orderGetTraffic,
			orderRenew,
		],
		defaultOperation: orderGetAll,
	},
	{
		name: 'Page',
		value: 'page',
		description: 'Web pages, opened through the proxies of an order',
		operations: [pageCrawl, pageOpen],
		defaultOperation: pageOpen,
	},
	{
		name: 'Private Proxy Resource',
		value: 'privateProxyResource',
		description: 'Places and carriers that the IPs of a private proxy order (DPS) can come from',
		operations: [privateProxyResourceGetAll],
		defaultOperation: privateProxyResourceGetAll,
	},
	{
		name: 'Proxy',
		value: 'proxy',
		description: 'The proxies of an order',
		operations: [proxyCheck, proxyExtract, proxyGetLogin],
		defaultOperation: proxyExtract,
	},
	{
		name: 'Tunnel',
		value: 'tunnel',
		description: 'The IP addresses that a tunnel uses',
		operations: [tunnelChangeIp, tunnelGetCurrentIp],
		defaultOperation: tunnelGetCurrentIp,
	},
	{
		name: 'User Agent',
		value: 'userAgent',
		description: 'User-Agent strings of current browsers for requests through proxies',
		operations: [userAgentGetAll],
		defaultOperation: userAgentGetAll,
	},
	{
		name: 'Whitelist',
		value: 'whitelist',
		description: "IP addresses that may use an order's proxies without a login",
		operations: [
			whitelistAdd,
			whitelistGet,
			whitelistGetOwnIp,
			whitelistKeepOwnIp,
			whitelistRemove,
			whitelistReplace,
		],
		defaultOperation: whitelistGet,
	},
];

const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
	RESOURCES.flatMap(({ value, operations }) =>
		operations.map((operation) => [`${value}: ${operation.option.value}`, operation]),
	),
);

/** @returns undefined for names that this version does not have, such as n8n's "Custom API Call" */
export function findOperation(resource: string, operation: string): Operation | undefined {
	return OPERATIONS.get(`${resource}: ${operation}`);
}

function operationSelect({ value, operations, defaultOperation }: Resource): INodeProperties {
	const { value: opensWith } = defaultOperation.option;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: operations.map((operation) => operation.option),
		default: opensWith,
	};
}

function editorFieldsOf({ value, operations }: Resource): INodeProperties[] {
	return operations.flatMap(({ option, properties }) =>
		shownWith({ resource: [value], operation: [option.value] }, properties),
	);
}

/** All fields of the node: the menus first, then the fields of each operation. */
export const nodeProperties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: RESOURCES.map(({ name, value, description }) => ({ name, value, description })),
		default: 'page',
	},
	...RESOURCES.map(operationSelect),
	...RESOURCES.flatMap(editorFieldsOf),
];

const actionTexts = Object.fromEntries(
	[...OPERATIONS].map(([name, { option }]) => [name, option.action]),
);

/** Stands under the node on the canvas: the action that was chosen, as n8n's list of actions names it. */
export const nodeSubtitle = `={{ (${JSON.stringify(actionTexts)})[$parameter["resource"] + ": " + $parameter["operation"]] }}`;
