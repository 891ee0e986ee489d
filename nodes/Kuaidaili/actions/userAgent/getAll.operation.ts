import { serviceField, type Field } from '../../../shared/fields/field';
import { choice, namedOptions, severalOf, wholeNumber } from '../../../shared/fields/valueKinds';
import { GET_UA } from '../../../shared/service/endpoints/lookup';
import { type RunQuery, dataQuery } from '../../../shared/api/query';
import { formatNumber, sentences } from '../../../shared/wording';
import { CallError, callFailure } from '../../../shared/api/callErrors';
import { callOperation, fetching } from '../../run/callOperation';
import { isList, ownValue } from '../../../shared/guards';

function isText(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}

/** User-Agent strings. Takes `num`, and where wanted `dt`, `platform` and `browser`. */
const userAgents = dataQuery(GET_UA, 'user agents', (data) => {
	const uaList = ownValue(data, 'ua_list');
	return isList(uaList) && uaList.every(isText) ? uaList : undefined;
});

/** The most that one call gives, to accounts that have spent the most. */
const LARGEST_CALL = 300;

/** Calls draw at random, so a few may bring nothing new although there is more. */
const MOST_CALLS_WITHOUT_NEW_AGENTS = 3;

interface FoundUserAgents {
	readonly found: readonly string[];
	/** The failure that ended the search before there were enough; undefined where no call failed. */
	readonly failure?: CallError;
}

/**
 * Fetches `num` different user agents. How many a call gives depends on what the account has spent, which no
 * answer says: the first call that brings fewer than it was asked for shows it. Throws what `run` throws if nothing
 * came before.
 */
async function fetchUserAgents(
	run: RunQuery,
	{ num, ...filters }: Readonly<Record<string, string>>,
): Promise<FoundUserAgents> {
	const wanted = Number(num);
	const found = new Set<string>();
	let perCall = Math.min(wanted, LARGEST_CALL);
	let callsWithoutNew = 0;
	for (;;) {
		const foundBefore = found.size;
		const brought = await run(userAgents, { num: String(perCall), ...filters }).catch(callFailure);
		if (brought instanceof CallError) {
			if (found.size === 0) throw brought;
			return { found: [...found], failure: brought };
		}
		for (const userAgent of brought) found.add(userAgent);
		callsWithoutNew = found.size === foundBefore ? callsWithoutNew + 1 : 0;
		const isLast = callsWithoutNew === MOST_CALLS_WITHOUT_NEW_AGENTS || brought.length === 0;
		if (found.size >= wanted || isLast) return { found: [...found].slice(0, wanted) };
		perCall = Math.min(perCall, Math.max(brought.length, 1));
	}
}

const userAgentCountField = serviceField({
	serviceName: 'num',
	displayName: 'Number of User Agents',
	description:
		'How many user agents to get. A call brings 3 to 300, depending on what the account has spent; more take several calls, one per second.',
	required: true,
	// Without a number there is nothing to count down
	kind: wholeNumber(1, 10_000, 10),
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
	work: fetching(GET_UA, fetchUserAgents),
	toResult({ found, failure }, { text }) {
		const wanted = Number(text(userAgentCountField.name));
		const inOne = text(userAgentOutputField.name) === 'allInOne' && found.length > 0;
		return {
			records: inOne
				? [{ count: found.length, ua_list: found }]
				: found.map((userAgent) => ({ userAgent })),
			hint:
				found.length === 0 || found.length === wanted
					? undefined
					: sentences(
							`Only ${formatNumber(found.length)} of ${formatNumber(wanted)} user agents were found.`,
							failure === undefined ? 'No more match.' : 'A call failed then.',
						),
			failure,
		};
	},
	hintForNone:
		"No user agents match. Remove some of the 'Devices', 'Platforms', or 'Browsers'. Not every browser exists on every platform.",
});
