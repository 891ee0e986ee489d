import type { Caller } from '../accounts/store.mts';
import { success, OwnCodes } from '../answers/answer.mts';
import { BROWSERS, DEVICES, PLATFORMS, USER_AGENTS } from '../catalogue/userAgents.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { drawFrom } from '../random.mts';
import { anyKeyEndpoint } from './endpoint.mts';

// Nothing is documented about its failures.
const CODES = new OwnCodes({
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
		if (choice === undefined) throw CODES.refusal(-2, name);
		return [choice];
	});
	return chosen.flat();
}

export const getUa = anyKeyEndpoint({
	path: '/api/getua',
	hosts: ['base'],
	// Where an account begins to be a paying one is taken from the maximum.
	rule: (caller) => perSecond(mostFor(caller) === MOST_FOR_FREE ? 1 : 5),
	message: (code) => CODES.message(code),
	answer: ({ call, caller, service: { random, settings } }) => {
		const own = new OwnParameters(call.parameters, {
			missing: (name) => CODES.refusal(-1, name),
			wrong: (name) => CODES.refusal(-2, name),
		});
		const num = own.number('num', ANY_NUMBER);
		const devices = optionalChoices(own, 'dt', DEVICES);
		const platforms = optionalChoices(own, 'platform', PLATFORMS);
		const browsers = optionalChoices(own, 'browser', BROWSERS);
		if (settings.inapplicableParameters === 'refuse') own.nothingElse();

		const most = mostFor(caller);
		if (num > most && settings.tooManyUserAgents === 'refuse') throw CODES.refusal(-2, 'num');
		const matching = USER_AGENTS.filter(
			({ device, platform, browser }) =>
				devices.includes(device) && platforms.includes(platform) && browsers.includes(browser),
		);
		const texts = drawFrom(matching, Math.min(num, most), random).map(({ text }) => text);
		// None, for a browser that the platform does not have, is an empty list by the same silence.
		return success({ count: texts.length, ua_list: texts });
	},
});
