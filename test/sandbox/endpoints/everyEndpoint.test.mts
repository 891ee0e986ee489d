import { ENDPOINTS } from '../../../sandbox/endpoints/table.mts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/sandbox.mts';
import { call, type KeyName } from '../client.mts';
import { ROWS, type Row } from './endpointRows.mts';

/* What holds for every endpoint: how often it may be asked, and by a signature. */

const ELSEWHERE = ['/api/get_secret_token', '/api/getproxy'];

it('every endpoint is tried', () => {
	const tried = [...ROWS.map(({ path }) => path), ...ELSEWHERE].toSorted();
	expect(tried).toEqual(ENDPOINTS.map(({ path }) => path).toSorted());
});

/** One sandbox for a rule: no two rows have the same endpoint. */
function rule(
	what: string,
	options: SandboxOptions,
	prove: (sandbox: Sandbox, row: Row, key: KeyName) => Promise<void>,
): void {
	describe(what, () => {
		let sandbox: Sandbox;

		beforeAll(async () => {
			sandbox = await startSandbox({ forwardProxies: false, catalogueSize: 10, ...options });
		});

		afterAll(() => sandbox.close());

		it.each(ROWS.flatMap((each) => each.keys.map((key) => [each.path, key, each] as const)))(
			'%s with the key %s',
			async (_path, key, each) => {
				const order = sandbox.store.orders.find(({ keys }) => keys === sandbox.keys[key]);
				const status = order?.status;
				await prove(sandbox, each, key);
				// As before, for other endpoints with this key
				if (order && status) order.status = status;
			},
		);
	});
}

const parametersOf = ({ parameters }: Row, sandbox: Sandbox, key: KeyName) =>
	typeof parameters === 'function' ? parameters(sandbox, key) : parameters;

/** The code that the sandbox has noted: answers come in several formats. */
async function codeFor(
	sandbox: Sandbox,
	each: Row,
	key: KeyName,
	keys = sandbox.keys[key],
): Promise<number | undefined> {
	const { host, path } = each;
	await call(sandbox.hosts[host], path, keys, parametersOf(each, sandbox, key));
	return sandbox.log.last()?.code;
}

// Long enough an interval that the next call surely is too early, whatever the machine does
rule('so often, and -120 beyond', { rateLimits: { scale: 200 } }, async (sandbox, each, key) => {
	const { callsPerSecond, further } = each;
	const measured = jest.spyOn(sandbox.limits, 'refusal');
	expect(await codeFor(sandbox, each, key)).toBe(0);
	expect(measured.mock.lastCall?.[1]).toEqual([
		{ intervalMs: 1000 / callsPerSecond, code: -120 },
		...further,
	]);
	expect(await codeFor(sandbox, each, key)).toBe(-120);
	expect(sandbox.log.last()).toMatchObject({ refusedByRateLimit: true, workDone: false });
});

rule('-104 with a wrong signature', { rateLimits: false }, async (sandbox, each, key) => {
	const wrong = { ...sandbox.keys[key], secretKey: 'wrong' };
	const parameters = { ...parametersOf(each, sandbox, key), odd: '1' };
	const reply = await call(sandbox.hosts[each.host], each.path, wrong, parameters);
	expect(reply.json).toMatchObject({ code: -104, data: '' });
});
