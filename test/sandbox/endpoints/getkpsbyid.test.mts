import type { DedicatedProxyOrder } from '../../../sandbox/accounts/order.mts';
import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { post, signed, type Parameters } from '../client.mts';
import {
	askAs,
	codeOf,
	entriesOf,
	productOrder,
	startExtraction,
	type KeyName,
} from '../extracting.mts';

const PATH = '/api/getkpsbyid';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startExtraction();
});

afterEach(() => sandbox.close());

const ask = (parameters: Parameters, key: KeyName = 'kpsSeveral') =>
	askAs(sandbox.keys[key], { sandbox, host: 'kpsUrl', path: PATH }, parameters);

function order(key: KeyName = 'kpsSeveral'): DedicatedProxyOrder {
	const found = productOrder(sandbox, key);
	if (found.product !== 'KPS') throw new Error(`"${key}" is not dedicated`);
	return found;
}

it('one machine of the order as JSON, its port as text', async () => {
	const at = { sandbox, host: 'kpsUrl', path: '/api/getkps' } as const;
	const listed = entriesOf(await askAs(order().keys, at, { num: '5', sort: '1' }));
	const { machineIds } = order();
	expect(machineIds).toHaveLength(5);
	for (const [index, f_id] of machineIds.entries()) {
		expect(f_id).toMatch(/^lrps-\d{5,6}$/);
		const [ip, port] = String(listed[index]).split(':');
		expect((await ask({ f_id })).json).toEqual({ code: 0, msg: '', data: { ip, port } });
	}
	expect(sandbox.extractions.total({ path: PATH })).toBe(5);
});

it('with public_ip where connections leave from another address', async () => {
	const [f_id = ''] = order('kpsDynamic').machineIds;
	const { data } = (await ask({ f_id }, 'kpsDynamic')).json;
	const { ip, port, public_ip } = Object(data);
	expect(public_ip).toMatch(/^127\./);
	expect(public_ip).not.toBe(ip);
	expect(sandbox.orderProxies.find(`${ip}:${port}`)?.exitAddress).toBe(public_ip);
	expect((await ask({ f_id }, 'kpsDynamic')).json.data).toEqual(data);
});

it.each(['text', 'json', 'xml'])('success is JSON, also with format %s', async (format) => {
	const [f_id = ''] = order().machineIds;
	expect((await ask({ f_id, format })).json).toMatchObject({
		code: 0,
		data: { ip: expect.stringMatching(/^127/) },
	});
});

it('by POST', async () => {
	const [f_id = ''] = order().machineIds;
	const form = signed(order().keys, 'POST', PATH, { f_id });
	expect((await post(sandbox.hosts.kpsUrl + PATH, form)).json.code).toBe(0);
});

it.each(['lrps-499941', '499941'])('a machine with an id of six digits: %s', async (id) => {
	order().machineIds.splice(0, 1, id);
	expect((await ask({ f_id: id })).json).toMatchObject({
		code: 0,
		data: { port: expect.any(String) },
	});
});

it('-1: no id, or none that a machine could have; as text unless JSON is wanted', async () => {
	for (const parameters of [undefined, '', '-49994', 'lrps 49994', 'lrps-49994,lrps-49995']) {
		const reply = await ask(parameters === undefined ? {} : { f_id: parameters });
		expect(reply.text).toMatch(/^ERROR\(-1\): /);
	}
	expect((await ask({ format: 'json' })).json).toMatchObject({ code: -1, data: '' });
});

it('3: a machine of another order, or of none', async () => {
	const [other = ''] = order('kpsDynamic').machineIds;
	for (const f_id of [other, 'lrps-999999', '499941']) expect(codeOf(await ask({ f_id }))).toBe(3);
	expect(sandbox.extractions.count()).toBe(0);
});

it('the codes of the order, the product and the key', async () => {
	const [f_id = ''] = order().machineIds;
	for (const key of ['dps', 'tps', 'opsVip', 'topUp'] as const) {
		expect(codeOf(await ask({ f_id }, key))).toBe(-5);
	}
	expect(codeOf(await ask({ f_id }, 'account'))).toBe(-102);
	order().status = 'WAIT_PAY';
	expect(codeOf(await ask({ f_id }))).toBe(-11);
});
