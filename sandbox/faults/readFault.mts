import { FORGOTTEN_TOKEN_CODES } from '../authentication/tokens.mts';
import { HOST_NAMES } from '../http/call.mts';
import { MalformedInput, toFields, type Fields } from '../control/input.mts';
import type { AnyFault, Fault } from './fault.mts';

const MOMENTS = ['before', 'after'] as const;

type Reader = (fields: Fields) => AnyFault;

const when = (fields: Fields) => fields.optionalChoice('when', MOMENTS);

/** How each kind of fault is written as JSON: with the field names it has in the program. */
const READERS = new Map<string, Reader>([
	['delay', (fields) => ({ kind: 'delay', ms: fields.number('ms'), when: when(fields) })],
	[
		'drip',
		(fields) => ({ kind: 'drip', ms: fields.number('ms'), bytes: fields.optionalNumber('bytes') }),
	],
	['clockOffset', (fields) => ({ kind: 'clockOffset', seconds: fields.number('seconds') })],
	['dateOffset', (fields) => ({ kind: 'dateOffset', seconds: fields.number('seconds') })],
	['hang', (fields) => ({ kind: 'hang', when: when(fields) })],
	[
		'cut',
		(fields) => ({
			kind: 'cut',
			how: fields.optionalChoice('how', ['end', 'reset']),
			when: when(fields),
		}),
	],
	[
		'status',
		(fields) => ({
			kind: 'status',
			status: fields.number('status'),
			when: when(fields),
			body: fields.optionalText('body'),
			contentType: fields.optionalText('contentType'),
			retryAfter: fields.optionalText('retryAfter'),
			location: fields.optionalText('location'),
		}),
	],
	['html', (fields) => ({ kind: 'html', when: when(fields), body: fields.optionalText('body') })],
	[
		'raw',
		(fields) => ({
			kind: 'raw',
			body: fields.text('body'),
			when: when(fields),
			contentType: fields.optionalText('contentType'),
		}),
	],
	[
		'halfBody',
		(fields) => ({ kind: 'halfBody', promise: fields.optionalChoice('promise', ['half', 'full']) }),
	],
	[
		'code',
		(fields) => ({
			kind: 'code',
			code: fields.number('code'),
			msg: fields.optionalText('msg'),
			when: when(fields),
		}),
	],
	['cache', () => ({ kind: 'cache' })],
	[
		'twice',
		(fields) => ({
			kind: 'twice',
			answer: fields.optionalChoice('answer', ['first', 'last']),
			cutFirst: fields.optionalChoice('cutFirst', MOMENTS),
			gapMs: fields.optionalNumber('gapMs'),
		}),
	],
	[
		'forgottenToken',
		(fields) => ({
			kind: 'forgottenToken',
			code: fields.optionalChoice('code', FORGOTTEN_TOKEN_CODES),
		}),
	],
	[
		'changedKeyPair',
		(fields) => ({ kind: 'changedKeyPair', code: fields.optionalChoice('code', [-102, -104]) }),
	],
]);

export const FAULT_KINDS = [...READERS.keys()];

/** One fault or a list of them. */
export function readFaults(value: unknown): Fault[] {
	return (Array.isArray(value) ? value : [value]).map(readFault);
}

function readFault(value: unknown): Fault {
	const fields = toFields(value);
	const kind = fields.text('kind');
	const read = READERS.get(kind);
	if (!read) {
		throw new MalformedInput(`"${kind}" is not a kind of fault: ${FAULT_KINDS.join(', ')}`);
	}
	const fault = {
		...read(fields),
		path: fields.optionalText('path'),
		host: fields.optionalChoice('host', HOST_NAMES),
		secretId: fields.optionalText('secretId'),
		times: fields.optionalNumber('times'),
	};
	fields.nothingElse();
	return fault;
}
