import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { credentialData, newCredential } from '../../../harness/credentials.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { KUAIDAILI, kuaidaili, runTrial } from '../../../harness/realN8n/workflows.mts';
import { credentialOf } from '../keys.mts';
import type { E2eSession } from '../session.mts';

const WRONG_KEY = 'not-the-key-that-belongs-to-it';

interface ErrorCase {
	readonly what: string;
	readonly credential: { readonly id: string; readonly name: string };
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly message: RegExp;
	/** The description. */
	readonly description: RegExp;
	/** Whether the service was asked at all. */
	readonly isAsked: boolean;
}

const EXTRACT = { resource: 'proxy', operation: 'extract', product: 'OPS', plan: 'vip', num: 1 };

/** What a person reads when something is wrong: what it is and what to do, and no secret. */
export const errors: CheckGroup<E2eSession> = {
	name: 'Errors',
	async run(session, check) {
		for (const each of await errorCases(session)) {
			await check(`The error about ${each.what} says what to do`, async () => {
				await proveError(session, each);
			});
		}
		await check("With 'On Error: Continue', the same text is an item", async () => {
			const run = await runTrial(
				session.n8n,
				kuaidaili(EXTRACT, credentialOf('opsExpired'), { onError: 'continueRegularOutput' }),
				{ itemCount: 2 },
			);
			const items = itemsOf(run, KUAIDAILI);
			expectEqual(items.length, 2, 'the number of items');
			items.forEach((item, index) => {
				expectEqual(
					Object.keys(Object(at(item, 'json'))).join(),
					'error',
					'the fields of the item',
				);
				const text = String(at(item, 'json', 'error'));
				expect(/has expired.*renew/.test(text), `it says ${excerpt(text)}`);
				expectEqual(at(item, 'pairedItem', 'item'), index, 'the input item');
			});
		});
	},
};

async function errorCases({ n8n, sandbox }: E2eSession): Promise<ErrorCase[]> {
	const { hosts, keys } = sandbox;
	const data = (key: typeof keys.opsVip) => credentialData(hosts, key, 'order', 'hmacsha1');
	const save = async (name: string, content: Record<string, unknown>) => ({
		id: await n8n.createCredential(newCredential(name, content)),
		name,
	});
	return [
		{
			what: 'a value out of range',
			credential: credentialOf('account'),
			parameters: {
				resource: 'order',
				operation: 'create',
				product: 'TPS',
				payType: 'POST_PAY',
				tpsMaxRps: 1,
			},
			message: /'Max Requests per Second' can't be 1$/,
			description: /^Allowed: .*5 to 1,000/,
			isAsked: false,
		},
		{
			what: 'a wrong SecretKey',
			credential: await save('Wrong key', data({ ...keys.opsVip, secretKey: WRONG_KEY })),
			parameters: EXTRACT,
			message: /^Secret Key doesn't belong to Secret ID\b/,
			description: /'Secret Key'/,
			isAsked: true,
		},
	];
}

async function proveError(
	{ n8n, sandbox: { log, keys } }: E2eSession,
	{ credential, parameters, message, description, isAsked }: ErrorCase,
): Promise<void> {
	const before = log.count();
	const run = await runTrial(n8n, kuaidaili(parameters, credential));
	const error = at(run.saved, 'data', 'resultData', 'error');
	expectEqual(run.status, 'error', 'the end of the run');
	const read = {
		message: String(at(error, 'message')),
		description: String(at(error, 'description')),
	};
	expect(message.test(read.message), `the message is ${excerpt(read.message)}`);
	expect(description.test(read.description), `the description is ${excerpt(read.description)}`);
	expectEqual(log.count() > before, isAsked, 'whether Kuaidaili was asked');
	const saved = JSON.stringify(run.saved);
	for (const secret of [WRONG_KEY, ...Object.values(keys).map(({ secretKey }) => secretKey)]) {
		expect(!saved.includes(secret), 'the saved run shows a SecretKey');
	}
}
