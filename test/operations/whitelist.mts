import assert from 'node:assert/strict';

import type { OperationCase, ResourceRow } from './row.mts';
import type { World } from './world.mts';

const LIST = '/api/getipwhitelist';
const ADD = '/api/addwhiteip';
const REMOVE = '/api/delwhiteip';
const REPLACE = '/api/setipwhitelist';
const OWN_IP = '/api/getmyip';

const [OFFICE, HOME, SERVER] = ['123.35.67.46', '223.57.8.100', '58.251.132.181'];
/** Where the requests of the tests come from. */
const OWN = '127.0.0.1';

const NOTICE =
	"A change takes effect after about a minute. Let n8n's 'Wait' node wait for it before the proxies are used.";

const CHANGE_LABELS = [NOTICE, 'Order', 'Addresses', 'IP Addresses', 'Options'];

const NONE_THERE = /order has no whitelist.*choose an order for private, tunnel, dedicated/i;
const MISSING = /no IP addresses reached.*report/i;

const ADDRESS_CODES = {
	[-4]: /did not accept one of the IP addresses.*IPv4/,
	[-5]: /more IP addresses than the order allows.*'limit' in 'Whitelist: Get'/,
	[-6]: /not a public one.*'Whitelist: Get Own IP'/,
};

const officeAndHome = ({ sandbox, theOrder }: World) =>
	sandbox.whitelists.replaceNow(theOrder, [OFFICE, HOME]);

/** What comes out: the list, the last one first as the sandbox has it. */
const listing =
	(...ipwhitelist: string[]) =>
	({ chosen }: World) => [{ ...chosen, count: ipwhitelist.length, ipwhitelist, limit: 50 }];

const isListed =
	(...addresses: string[]): OperationCase['prove'] =>
	({ hints }, world) => {
		expectListed(world, addresses);
		assert.deepEqual(hints, []);
	};

function expectListed({ sandbox, theOrder }: World, addresses: string[]): void {
	assert.deepEqual([...sandbox.whitelists.of(theOrder)].sort(), addresses.sort());
}

const shown = {
	data: { count: 2, ipwhitelist: [OFFICE, HOME], limit: 50 },
	shape: 'object',
} as const;

export const whitelist: ResourceRow = {
	resource: 'whitelist',
	label: 'Whitelist',
	opensWith: 'get',
	operations: [
		{
			operation: 'add',
			label: 'Add',
			action: 'Add IP address to whitelist',
			labels: CHANGE_LABELS,
			key: 'order',
			path: ADD,
			everyChoiceOf: ['addresses'],
			cases: [
				{
					what: 'two addresses, one of which is there already',
					order: 'dps',
					arrange: officeAndHome,
					fields: { addresses: 'list', iplist: `${HOME}, ${SERVER},${SERVER}` },
					calls: [ADD, LIST],
					sent: { iplist: `${HOME},${SERVER}` },
					gives: listing(SERVER, HOME, OFFICE),
					prove: isListed(OFFICE, HOME, SERVER),
					answers: {
						[ADD]: { msg: `${HOME} add to ip whitelist`, data: '' },
						[LIST]: shown,
					},
				},
				{
					what: 'the address of this machine',
					order: 'tps',
					by: 'order',
					arrange: officeAndHome,
					fields: { addresses: 'ownIp' },
					calls: [OWN_IP, ADD, LIST],
					sent: { iplist: OWN },
					gives: listing(OWN, HOME, OFFICE),
					prove: isListed(OFFICE, HOME, OWN),
					answers: {
						[OWN_IP]: { data: { ip: HOME } },
						[ADD]: { msg: `${HOME} add to ip whitelist`, data: '' },
						[LIST]: shown,
					},
				},
			],
		},
		{
			operation: 'get',
			label: 'Get',
			action: 'Get whitelist',
			labels: ['Order', 'Options'],
			key: 'order',
			path: LIST,
			cases: [
				{
					what: 'of two addresses',
					order: 'kps',
					arrange: officeAndHome,
					gives: listing(HOME, OFFICE),
					answers: { [LIST]: shown },
				},
				{ what: 'of none', order: 'sfpsPackage', gives: listing() },
			],
		},
		{
			operation: 'getOwnIp',
			label: 'Get Own IP',
			action: 'Get public IP of n8n',
			labels: ['Options'],
			key: 'either',
			path: OWN_IP,
			cases: [
				{
					what: 'of this machine',
					order: 'opsVip',
					gives: () => [{ ip: OWN }],
					answers: { [OWN_IP]: { data: { ip: SERVER }, shape: 'object' } },
				},
			],
		},
		{
			operation: 'keepOwnIp',
			label: 'Keep Own IP',
			action: "Keep n8n's current public IP on a whitelist",
			labels: [NOTICE, 'Order', 'Options'],
			key: 'order',
			path: ADD,
			cases: [
				{
					what: 'that is not on the list',
					order: 'dps',
					arrange: officeAndHome,
					calls: [LIST, OWN_IP, ADD, LIST],
					sent: { iplist: OWN },
					gives: (world) => [{ ...listing(OWN, HOME, OFFICE)(world)[0], changed: true, ip: OWN }],
					prove({ hints }, world) {
						expectListed(world, [OFFICE, HOME, OWN]);
						assert.match(hints.join(), /^n8n doesn't remember what runs in the editor add/);
					},
					answers: {
						[LIST]: { ...shown, added: ['changed', 'ip'] },
						[OWN_IP]: { data: { ip: SERVER } },
						[ADD]: { msg: `${SERVER} add to ip whitelist`, data: '' },
					},
				},
				{
					what: 'that is there already',
					order: 'tps',
					by: 'order',
					path: LIST,
					arrange: ({ sandbox, theOrder }) =>
						sandbox.whitelists.replaceNow(theOrder, [OFFICE, OWN]),
					calls: [LIST, OWN_IP],
					gives: (world) => [{ ...listing(OWN, OFFICE)(world)[0], changed: false, ip: OWN }],
					prove: isListed(OFFICE, OWN),
				},
			],
		},
		{
			operation: 'remove',
			label: 'Remove',
			action: 'Remove IP address from whitelist',
			labels: CHANGE_LABELS,
			key: 'order',
			path: REMOVE,
			everyChoiceOf: ['addresses'],
			cases: [
				{
					what: 'an address',
					order: 'fps',
					arrange: officeAndHome,
					fields: { addresses: 'list', iplist: OFFICE },
					calls: [REMOVE, LIST],
					sent: { iplist: OFFICE },
					gives: listing(HOME),
					prove: isListed(HOME),
					answers: {
						[REMOVE]: { msg: `${SERVER} deleted from ip whitelist`, data: '' },
						[LIST]: shown,
					},
				},
				{
					what: 'the address of this machine',
					order: 'tpsPro',
					by: 'order',
					arrange: ({ sandbox, theOrder }) =>
						sandbox.whitelists.replaceNow(theOrder, [OFFICE, OWN]),
					fields: { addresses: 'ownIp' },
					calls: [OWN_IP, REMOVE, LIST],
					sent: { iplist: OWN },
					gives: listing(OFFICE),
					prove: isListed(OFFICE),
				},
			],
		},
		{
			operation: 'replace',
			label: 'Replace',
			action: 'Replace whitelist',
			labels: CHANGE_LABELS,
			key: 'order',
			path: REPLACE,
			everyChoiceOf: ['addresses'],
			cases: [
				{
					what: 'by two addresses',
					order: 'dpsPerIp',
					arrange: officeAndHome,
					fields: {
						addresses: 'list',
						iplist: [SERVER, HOME],
					},
					calls: [REPLACE, LIST],
					sent: { iplist: `${SERVER},${HOME}` },
					gives: listing(HOME, SERVER),
					prove: isListed(SERVER, HOME),
					answers: {
						[REPLACE]: { msg: `ip whitelist updated to ${OFFICE},${HOME}`, data: '' },
						[LIST]: shown,
					},
				},
				{
					what: 'by the address of this machine',
					order: 'dps',
					by: 'order',
					arrange: officeAndHome,
					fields: { addresses: 'ownIp' },
					calls: [OWN_IP, REPLACE, LIST],
					sent: { iplist: OWN },
					gives: listing(OWN),
					prove: isListed(OWN),
				},
				{
					what: 'by none',
					order: 'dps',
					arrange: officeAndHome,
					fields: { addresses: 'none' },
					calls: [REPLACE, LIST],
					sent: { iplist: '' },
					gives: listing(),
					prove: isListed(),
				},
			],
		},
	],
	endpoints: [
		{
			path: ADD,
			codes: {
				[-1]: 'tries again',
				[-3]: NONE_THERE,
				...ADDRESS_CODES,
			},
		},
		{ path: LIST, title: 'Reading a whitelist', codes: { [-3]: NONE_THERE } },
		{ path: OWN_IP, codes: {} },
		{ path: REMOVE, codes: { [-1]: 'tries again', [-3]: NONE_THERE, [-7]: MISSING } },
		{ path: REPLACE, codes: { [-1]: 'tries again', [-3]: NONE_THERE, ...ADDRESS_CODES } },
	],
};
