import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { pollEvent } from '../../../../nodes/KuaidailiTrigger/pollEvent.ts';
import type { HttpResponse } from '../../../../nodes/shared/response/httpResponse.ts';
import { useProcessClock } from '../../../engine/support/processClock.mts';
import { SECRET_KEY } from '../../support/credential.mts';
import { until } from '../../../engine/support/until.mts';
import '../../../virtualTime.mts';
import { deepFreeze } from '../../support/frozen.mts';

const FIELDS = { event: 'accountBalanceBelow', balanceBelow: 100 };

const processClock = useProcessClock();

let count = 0;

interface FakeTrigger {
	readonly staticData: IDataObject;
	readonly logged: string[];
	poll(mode?: 'manual' | 'trigger'): ReturnType<typeof pollEvent>;
}

/** The trigger in a context that answers as n8n's does, and a service that says what `balance` says. */
function trigger(
	balance: () => string | Error | Promise<string>,
	{ fields = FIELDS, staticData = {} }: { fields?: IDataObject; staticData?: IDataObject } = {},
): FakeTrigger {
	const logged: string[] = [];
	const values: IDataObject = { ...fields };
	count++;
	const secretId = `id${process.pid}poll${count}`;
	const poll: FakeTrigger['poll'] = async (mode = 'trigger') => {
		// The pace is not what is tested here
		processClock.advance(2000);
		const context: Partial<IPollFunctions> = {
			getMode: () => mode,
			getWorkflow: () => ({ id: secretId, active: true }),
			getNode: () => ({
				id: '1',
				name: 'Kuaidaili Trigger',
				type: 'kuaidailiTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			}),
			getNodeParameter: (name: string, fallback?: object) => values[name] ?? fallback ?? '',
			getWorkflowStaticData: () => staticData,
			getCredentials: async () =>
				JSON.parse(JSON.stringify({ keyType: 'account', secretId, secretKey: SECRET_KEY })),
			logger: {
				debug: () => undefined,
				info: () => undefined,
				warn: (message: string) => logged.push(message),
				error: () => undefined,
			},
			helpers: {
				httpRequestWithAuthentication: async () => {
					const said = await balance();
					if (said instanceof Error) throw said;
					const body = JSON.stringify({ code: 0, msg: '', data: { balance: said } });
					const { status, headers }: HttpResponse = { status: 200, headers: {}, body };
					return { statusCode: status, headers, body };
				},
			} as unknown as IPollFunctions['helpers'],
		};
		return await pollEvent(context as IPollFunctions);
	};
	return { staticData, logged, poll };
}

function emitted(balance: string) {
	const text = `The Kuaidaili account balance is ${balance} yuan, below the limit of 100 yuan`;
	const balanceNumber = Number(balance);
	return [[{ json: { event: 'accountBalanceBelow', text, balance, balanceNumber, below: 100 } }]];
}

it('gives the poll, and null when there are none', async () => {
	let balance = '50.00';
	const { poll } = trigger(() => balance);
	expect(await poll()).toEqual(emitted('50.00'));
	expect(await poll()).toBeNull();
	balance = '500.00';
	expect(await poll()).toBeNull();
	balance = '7.00';
	expect(await poll()).toEqual(emitted('7.00'));
});

it('remembers under the name of the event, and leaves what else is there', async () => {
	const others = { orderExpiring: { lastPoll: 1 }, other: true };
	const { poll, staticData } = trigger(() => '50.00', { staticData: { ...others } });
	await poll();
	expect(staticData).toEqual({
		...others,
		accountBalanceBelow: {
			process: expect.any(String),
			below: [expect.any(String)],
		},
	});
});

it('throws in the words of the node what fails at first, and remembers nothing', async () => {
	const { poll, staticData, logged } = trigger(() => new Error('socket hang up'));
	await expect(poll()).rejects.toMatchObject({
		name: 'NodeApiError',
		message: expect.stringMatching(/^The connection to dev\.kdlapi\.com was lost/),
		description: expect.stringMatching(/Try again/),
	});
	expect(staticData).toEqual({});
	expect(logged).toEqual([]);
});

it('logs in the words of the node what fails later, and changes nothing', async () => {
	let answer: string | Error = '500.00';
	const { poll, staticData, logged } = trigger(() => answer);
	await poll();
	const before = JSON.stringify(staticData);
	answer = new Error('socket hang up');
	expect(await poll()).toBeNull();
	expect(JSON.stringify(staticData)).toBe(before);
	expect(logged).toEqual([
		expect.stringMatching(/^The connection to dev\.kdlapi\.com was lost .*\. Try again/),
	]);
	answer = '1.00';
	expect(await poll()).toEqual(emitted('1.00'));
	expect(logged).toHaveLength(1);
});

it('takes the success of one event for none of another', async () => {
	const staticData = { orderExpiring: { lastPoll: 1 } };
	const { poll, logged } = trigger(() => new Error('socket hang up'), { staticData });
	await expect(poll()).rejects.toThrow(/was lost/);
	expect(logged).toEqual([]);
});

it.each([['orderBought'], [''], [7], [{}], ['toString']])(
	'refuses the event %j, also after a success',
	async (event) => {
		const staticData = { accountBalanceBelow: {}, orderBought: {}, toString: {} };
		const { poll } = trigger(() => '1.00', { fields: { event }, staticData });
		await expect(poll()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringMatching(/^'Event' is /),
			description: expect.stringMatching(/accountBalanceBelow, ipBalanceBelow, orderExpired/),
		});
	},
);

it('refuses a wrong field', async () => {
	const { poll } = trigger(() => '1.00', { fields: { ...FIELDS, balanceBelow: -1 } });
	await expect(poll()).rejects.toMatchObject({
		name: 'NodeOperationError',
		message: expect.stringMatching(/^'Below \(Yuan\)' is -1/),
	});
});

describe('a manual test', () => {
	it('shows what there is, emitted or not, and remembers nothing', async () => {
		const staticData = deepFreeze({ accountBalanceBelow: { below: ['1'] } });
		const { poll } = trigger(() => '500.00', { staticData });
		const text =
			'Test event: The Kuaidaili account balance is 500.00 yuan, not below the limit of 100 yuan';
		const sample = [[{ json: { ...emitted('500.00')[0][0].json, text, test: true } }]];
		expect(await poll('manual')).toEqual(sample);
		expect(await poll('manual')).toEqual(sample);
	});

	it('is emitted of what fails, also after a success', async () => {
		const staticData = { accountBalanceBelow: {} };
		const { poll, logged } = trigger(() => new Error('socket hang up'), { staticData });
		await expect(poll('manual')).rejects.toMatchObject({ name: 'NodeApiError' });
		expect(logged).toEqual([]);
	});
});

it('reads anew what another look remembered meanwhile', async () => {
	const answers: Array<(balance: string) => void> = [];
	const { poll } = trigger(
		async () => await new Promise<string>((resolve) => answers.push(resolve)),
	);
	const slow = poll();
	await until(() => answers.length === 1);
	const quick = poll();
	await until(() => answers.length === 2);
	answers[1]('50.00');
	expect(await quick).toEqual(emitted('50.00'));
	answers[0]('60.00');
	expect(await slow).toBeNull();
});

it.each([[null], ['text'], [[1]], [7]])('takes the state %j for none', async (state) => {
	const staticData: IDataObject = JSON.parse(JSON.stringify({ accountBalanceBelow: state }));
	const { poll } = trigger(() => '50.00', { staticData });
	expect(await poll()).toEqual(emitted('50.00'));
	expect(staticData.accountBalanceBelow).toMatchObject({ below: [expect.any(String)] });
});

it.each([
	[
		'n8n does not allow it',
		'The request was blocked because it resolves to a restricted IP address',
	],
	['the certificate is not trusted', 'self-signed certificate'],
])('is an execution that failed where %s, because that lasts', async (_why, text) => {
	let failure: Error | undefined;
	const { poll, logged } = trigger(() => failure ?? '500.00');
	expect(await poll()).toBeNull();
	const code = text.includes('certificate') ? { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } : {};
	failure = Object.assign(new Error(text), code);
	await expect(poll()).rejects.toThrow();
	expect(logged).toEqual([]);
});
