import assert from 'node:assert/strict';

import { USER_AGENTS } from '../../sandbox/catalogue/userAgents.mts';
import type { Outcome, ResourceRow } from './row.mts';

const USER_AGENT_LIST = '/api/getua';

const PHONE =
	'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';

function expectUserAgents({ records }: Outcome, count: number): void {
	const known = new Set(USER_AGENTS.map(({ text }) => text));
	assert.equal(new Set(records.map(({ userAgent }) => userAgent)).size, count);
	for (const record of records) {
		assert.deepEqual(Object.keys(record), ['userAgent']);
		assert.ok(known.has(String(record.userAgent)));
	}
}

export const userAgent: ResourceRow = {
	resource: 'userAgent',
	label: 'User Agent',
	opensWith: 'getAll',
	operations: [
		{
			operation: 'getAll',
			label: 'Get Many',
			action: 'Get many user agents',
			labels: ['Number of User Agents', 'Output', 'Devices', 'Platforms', 'Browsers', 'Options'],
			key: 'either',
			path: USER_AGENT_LIST,
			everyChoiceOf: ['output'],
			cases: [
				{
					what: 'of any sort',
					order: 'dps',
					fields: { num: 3 },
					sent: { num: '3' },
					prove: (outcome) => expectUserAgents(outcome, 3),
					answers: {
						[USER_AGENT_LIST]: { data: { count: 1, ua_list: [PHONE] }, added: ['userAgent'] },
					},
				},
				{
					what: 'of certain phones, all in one item',
					fields: {
						num: 2,
						output: 'allInOne',
						dt: ['mobile'],
						platform: ['android', 'ios'],
						browser: ['chrome', 'weixin'],
					},
					sent: {
						num: '2',
						dt: 'mobile',
						platform: 'android,ios',
						browser: 'chrome,weixin',
					},
					prove({ records: [record, ...others] }) {
						assert.deepEqual(others, []);
						assert.deepEqual(Object.keys(record), ['count', 'ua_list']);
						assert.equal(record.count, 2);
						const wanted = USER_AGENTS.filter(
							({ device, platform, browser }) =>
								device === 'mobile' &&
								['android', 'ios'].includes(platform) &&
								['chrome', 'weixin'].includes(browser),
						).map(({ text }) => text);
						assert.ok(Array.isArray(record.ua_list));
						assert.ok(record.ua_list.every((text) => wanted.includes(text)));
					},
				},
			],
		},
	],
	endpoints: [{ path: USER_AGENT_LIST, codes: {} }],
};
