import { serviceField, type Field } from '../../../shared/fields/field';
import { choice, namedOptions, severalOf, number } from '../../../shared/fields/kinds';
import { GET_UA } from '../../../shared/service/endpoints/lookup';
import { dataQuery } from '../../../shared/api/call';
import { formatNumber } from '../../../shared/wording';
import { callOperation, querying } from '../../run/operation';
import { isList, ownValue } from '../../../shared/guards';

function isText(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}

/** User-Agent strings. Takes `num`, and where wanted `dt`, `platform` and `browser`. */
const userAgents = dataQuery(GET_UA, 'user agents', (data) => {
	const uaList = ownValue(data, 'ua_list');
	return isList(uaList) && uaList.every(isText) ? uaList : undefined;
});

const userAgentCountField = serviceField({
	serviceName: 'num',
	displayName: 'Number of User Agents',
	description:
		'How many user agents to get. Kuaidaili gives 3 to 300 at a time, depending on what the account has spent.',
	required: true,
	kind: number({ min: 1, max: 300, preset: 10 }),
});

function filterField(
	serviceName: string,
	displayName: string,
	of: string,
	names: Readonly<Record<string, string>>,
) {
	const description = `Only user agents of these ${of}. Leave empty for all.`;
	const kind = severalOf(namedOptions(names));
	return serviceField({ serviceName, displayName, description, kind });
}

const USER_AGENT_FILTERS = [
	filterField('dt', 'Devices', 'devices', { pc: 'Computer', mobile: 'Phone', pad: 'Tablet' }),
	filterField('platform', 'Platforms', 'operating systems', {
		android: 'Android',
		ios: 'iOS',
		linux: 'Linux',
		macos: 'macOS',
		win: 'Windows',
	}),
	filterField('browser', 'Browsers', 'browsers', {
		chrome: 'Chrome',
		firefox: 'Firefox',
		ie: 'Internet Explorer',
		weixin: 'WeChat',
	}),
];

const userAgentOutputField: Field = {
	name: 'output',
	displayName: 'Output',
	description: 'What the output items look like',
	required: true,
	kind: choice(
		[
			{
				name: 'All in One Item',
				value: 'allInOne',
				description: 'A single item with the count and a list of the user agents',
			},
			{
				name: 'Each User Agent as an Item',
				value: 'eachUserAgent',
				description: 'One item per user agent',
			},
		],
		{ preset: 'eachUserAgent' },
	),
};

export const userAgentGetAll = callOperation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many user agents',
		description: 'Get User-Agent strings of current browsers to send with your requests',
	},
	fields: [userAgentCountField, userAgentOutputField, ...USER_AGENT_FILTERS],
	work: querying(userAgents),
	toResult(found, { textOf }) {
		const wanted = Number(textOf(userAgentCountField.name));
		const isOne = textOf(userAgentOutputField.name) === 'allInOne' && found.length > 0;
		const some = found.length > 0 && found.length < wanted;
		return {
			records: isOne
				? [{ count: found.length, ua_list: found }]
				: found.map((userAgent) => ({ userAgent })),
			hint: some
				? `Kuaidaili gave ${formatNumber(found.length)} of ${formatNumber(wanted)} user agents: that many match, or the account gets no more at a time.`
				: undefined,
		};
	},
	hintForNone:
		"No user agents match. Remove some of the 'Devices', 'Platforms', or 'Browsers'. Not every browser exists on every platform.",
});
