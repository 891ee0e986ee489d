import fc from 'fast-check';

import { ORDER_FIELDS } from '../../nodes/Kuaidaili/actions/order/createFields.ts';
import { RENEWAL_FIELDS } from '../../nodes/Kuaidaili/actions/order/renew/fields.ts';
import { CITY_FIELDS } from '../../nodes/Kuaidaili/actions/city/getAll.operation.ts';
import { readExtractRequest } from '../../nodes/Kuaidaili/actions/proxy/extract/fields.ts';
import { openProxy, PLAN_NAMES } from '../../nodes/Kuaidaili/proxies/products/openProxy.ts';
import { readProxyList, type ExtraName } from '../../nodes/Kuaidaili/proxies/entries.ts';
import { InvalidFieldError } from '../../nodes/shared/fields/field.ts';
import { FieldReader } from '../../nodes/shared/fields/reader.ts';
import { CallError } from '../../nodes/shared/api/errors.ts';
import type { Endpoint } from '../../nodes/shared/service/endpoint.ts';
import { ENDPOINTS } from '../../nodes/shared/service/endpoints/index.ts';
import { parseResponse } from '../../nodes/shared/api/answer.ts';
import { TUNNEL_PASSWORD } from '../operations/common.mts';
import { SECRET_TOKEN } from '../operations/helperEndpoints.mts';
import { ANSWERED_OPERATIONS } from './answeredOperations.mts';
import { brokenReply } from './brokenAnswers.mts';
import { wholeReply } from './wholeAnswers.mts';
import { CASES_NOW, FEWEST_CASES, LONGEST_PROPERTY_MS, tryOut } from './cases.mts';
import { changedReply } from './changedAnswers.mts';
import { expectClear } from './clearError.mts';
import { hostileJson } from './hostileValues.mts';
import { expectPrototypesUntouched } from './untouched.mts';

/*
 * The same hostile values and answers as elsewhere in this folder, but at the functions that read them:
 * many more in the same time.
 */

afterEach(expectPrototypesUntouched);

it('there are as many cases as are promised', () => {
	expect(CASES_NOW).toBeGreaterThanOrEqual(FEWEST_CASES);
});

/** Some fields of a table with hostile values, the others empty. */
function someOf(names: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
	const pairs = fc.array(fc.tuple(fc.constantFrom(...names), hostileJson), { maxLength: 8 });
	return pairs.map((entries) => Object.fromEntries(entries));
}

function namesOf(fields: ReadonlyArray<{ readonly name: string }>): string[] {
	return [...new Set(fields.map(({ name }) => name))];
}

type Reading = () => Readonly<Record<string, string>>;

/** Reads hostile values as one of the operations does. */
const reading: fc.Arbitrary<Reading> = fc.oneof(
	fc.constantFrom(ORDER_FIELDS, RENEWAL_FIELDS, CITY_FIELDS).chain((fields) =>
		fc.tuple(someOf(namesOf(fields)), fc.constantFrom('TPS', 'DPS', 'KPS', 'OPS')).map(
			([values, product]): Reading =>
				() =>
					new FieldReader().read(
						fields,
						(name) => ({ product, payType: 'PRE_PAY', ...values })[name],
					).parameters,
		),
	),
	fc
		.tuple(
			fc.constantFrom(...PLAN_NAMES),
			someOf(namesOf(openProxy.filters)),
			someOf(namesOf(openProxy.extras)),
			someOf(namesOf(openProxy.options)),
		)
		.map(
			([plan, filters, extraFields, options]): Reading =>
				() => {
					const values: Record<string, unknown> = {
						product: 'OPS',
						plan,
						num: 5,
						output: 'eachProxy',
						filters,
						extraFields,
						options,
					};
					return readExtractRequest((name) => values[name]).parameters;
				},
		),
);

it(
	'fields are read as texts that can be sent, or refused in one short line',
	async () => {
		const property = fc.property(reading, (read) => {
			try {
				for (const [name, text] of Object.entries(read())) {
					expect(name).toMatch(/^[a-z][a-z_.]+$/);
					expect(typeof text).toBe('string');
					expect(text).not.toBe('');
					expect(text).toBe(text.trim());
					expect(text).not.toMatch(/\p{Surrogate}|^\[object /u);
				}
			} catch (error) {
				if (!(error instanceof InvalidFieldError)) throw error;
				expectClear({ message: error.message, description: error.description }, []);
			}
		});
		await tryOut('parametersWithoutEngine', property);
	},
	LONGEST_PROPERTY_MS,
);

function endpointOf(path: string): Endpoint {
	const found = Object.values(ENDPOINTS).find((endpoint) => endpoint.path === path);
	if (found === undefined) throw new Error(`No endpoint has the path ${path}`);
	return found;
}

const answer = fc
	.constantFrom(...ANSWERED_OPERATIONS)
	.chain((operation) =>
		fc.tuple(
			fc.constant(operation),
			fc.oneof(wholeReply(operation), brokenReply(operation), changedReply(operation)),
		),
	);

it(
	'answers are read, or their failure is described',
	async () => {
		const secrets = [SECRET_TOKEN, TUNNEL_PASSWORD];
		const property = fc.property(answer, ([{ path, format }, { status, headers, body }]) => {
			const endpoint = endpointOf(path);
			const text = body.toString();
			try {
				const read = parseResponse(
					endpoint,
					{ statusCode: status, headers, body: text },
					secrets,
					Date.now(),
				);
				expect(status).toBe(200);
				if (read.plainText !== undefined) expect(text).toContain(read.plainText);
				if (path !== '/api/getproxy') return;
				const extras: ExtraName[] = format === undefined ? [] : ['region'];
				const { proxies, unreadable } = readProxyList(read, { parameters: {}, extras });
				for (const { host, port } of proxies) {
					expect(text).toContain(host);
					expect(text).toContain(String(port));
				}
				if (unreadable !== undefined) throw unreadable;
			} catch (error) {
				if (!(error instanceof CallError)) throw error;
				const { message, description } = error.describe();
				expectClear({ message, description }, secrets, [/^['A-Z]/]);
			}
		});
		await tryOut('bytesWithoutEngine', property);
	},
	LONGEST_PROPERTY_MS,
);
