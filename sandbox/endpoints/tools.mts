import type { Caller } from '../accounts/store.mts';
import { OwnCodes, Refusal, success } from '../answers/answer.mts';
import { checkClientAddress } from '../authentication/authenticate.mts';
import { BROWSERS, DEVICES, PLATFORMS, USER_AGENTS } from '../catalogue/userAgents.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { drawFrom } from '../random.mts';
import { anyKeyEndpoint, tokenEndpoint, requested } from './endpoint.mts';

export const getSecretToken = tokenEndpoint({
	path: '/api/get_secret_token',
	hosts: ['auth'],
	callsPerSecond: 1,
	identify: (call, { authentication }) => {
		const secretId = call.parameters.get('secret_id');
		const secretKey = call.parameters.get('secret_key');
		if (!secretId || !secretKey) throw new Refusal(-1, '缺少参数');
		const caller = authentication.store.findCaller(secretId);
		if (caller?.keys.secretKey !== secretKey) throw new Refusal(-2, 'secret_id或secret_key错误');
		checkClientAddress(call, caller);
		return caller;
	},
	answer: ({ caller, service }) => {
		const token = service.authentication.tokens.obtain(caller.keys.secretId);
		return success(
			{ secret_token: token.value, expire: Math.floor(token.remainingMs / 1000) },
			'success',
		);
	},
});

export const getMyIp = anyKeyEndpoint({
	path: '/api/getmyip',
	hosts: ['base'],
	callsPerSecond: 10,
	answer: ({ call }) => success({ ip: call.clientAddress }),
});

// Nothing is documented about its failures.
const USER_AGENT_CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-2]: '参数错误',
});

const ANY_NUMBER = { least: 1, most: 999_999_999, step: 1 };

/** How many strings an account gets at a time that has spent more than this. */
const MOST_BY_SPENDING = [
	{ aboveInFen: 10_000_00, most: 300 },
	{ aboveInFen: 5_000_00, most: 100 },
	{ aboveInFen: 1_00, most: 30 },
];
const MOST_FOR_FREE = 3;

function mostFor({ account }: Caller): number {
	const level = MOST_BY_SPENDING.find(({ aboveInFen }) => account.spentInFen > aboveInFen);
	return level?.most ?? MOST_FOR_FREE;
}

/** Several of them, or whichever with "all", which is also what no value means. */
function optionalChoices<T extends string>(
	own: OwnParameters,
	name: string,
	choices: readonly T[],
): readonly T[] {
	const text = own.optionalText(name) ?? 'all';
	const chosen = text.split(',').map((each) => {
		if (each === 'all') return choices;
		const choice = choices.find((candidate) => candidate === each);
		if (choice === undefined) throw USER_AGENT_CODES.refusal(-2, name);
		return [choice];
	});
	return chosen.flat();
}

export const getUa = anyKeyEndpoint({
	path: '/api/getua',
	hosts: ['base'],
	// Where an account begins to be a paying one is taken from the maximum.
	callsPerSecond: (caller) => (mostFor(caller) === MOST_FOR_FREE ? 1 : 5),
	codes: USER_AGENT_CODES,
	answer: (use) => {
		const asked = requested(use, USER_AGENT_CODES, { missing: -1, wrong: -2 }, (own) => ({
			num: own.number('num', ANY_NUMBER),
			devices: optionalChoices(own, 'dt', DEVICES),
			platforms: optionalChoices(own, 'platform', PLATFORMS),
			browsers: optionalChoices(own, 'browser', BROWSERS),
		}));
		const { num, devices, platforms, browsers } = asked;

		const most = mostFor(use.caller);
		// What is above the maximum is not documented.
		const matching = USER_AGENTS.filter(
			({ device, platform, browser }) =>
				devices.includes(device) && platforms.includes(platform) && browsers.includes(browser),
		);
		const texts = drawFrom(matching, Math.min(num, most), use.service.random).map(
			({ text }) => text,
		);
		// None, for a browser that the platform does not have, is an empty list by the same silence.
		return success({ count: texts.length, ua_list: texts });
	},
});
