import { documentedCodes } from '../nodes/shared/service/codes.ts';
import type { Endpoint } from '../nodes/shared/service/endpoint.ts';
import type { ShownNames } from './names.mts';
import type { Answered } from './reader.mts';
import { compareShapes, shapeOf, type ShapeDifference } from './shape.mts';

/** Others are not shown: a header may say anything. */
const CONTENT_TYPES = [
	'application/json',
	'text/html',
	'text/plain',
	'text/xml',
	'application/xml',
];

const contentTypeName = (type: string) => (CONTENT_TYPES.includes(type) ? type : 'another one');

const enumerated = (kinds: readonly string[]) => kinds.join(' or ');

/** A field that the sandbox lacks may be one of a record that it doesn't know. */
function inWords({ path, live, sandbox }: ShapeDifference, names: ShownNames): string {
	const where = path === '' ? 'the body' : path;
	if (live.length === 0) return `\`${where}\` is missing; the sandbox has ${enumerated(sandbox)}`;
	if (sandbox.length > 0) {
		return `\`${where}\` is ${enumerated(live)}; the sandbox has ${enumerated(sandbox)}`;
	}
	const parent = path.slice(0, path.lastIndexOf('.') + 1);
	const name = names.show(path.slice(parent.length));
	return `\`${parent}${name}\` (${enumerated(live)}) is a field that the sandbox lacks`;
}

interface ComparisonOptions {
	/** The paths of objects whose keys are data. */
	readonly maps: readonly string[];
	readonly names: ShownNames;
}

/** What one answer of the service has that the sandbox's answer to the same call hasn't. */
function compareWith(
	endpoint: Endpoint,
	live: Answered,
	sandbox: Answered,
	{ maps, names }: ComparisonOptions,
): string[] {
	const found: string[] = [];
	if (live.status !== sandbox.status) {
		found.push(`HTTP status ${live.status}; the sandbox has ${sandbox.status}`);
	}
	if (live.contentType !== sandbox.contentType) {
		found.push(
			`content type ${contentTypeName(live.contentType)}; the sandbox has ${contentTypeName(sandbox.contentType)}`,
		);
	}
	if (live.code !== undefined && live.code !== sandbox.code) {
		const isDocumented = live.code === 0 || documentedCodes(endpoint).has(live.code);
		const table = isDocumented ? '' : ', which no table has';
		found.push(`code ${live.code}${table}; the sandbox answers ${sandbox.code}`);
		return found;
	}
	const shapes = compareShapes(shapeOf(live.body, maps), shapeOf(sandbox.body, maps));
	return [...found, ...shapes.map((difference) => inWords(difference, names))];
}

/**
 * Compares an answer with those of the sandbox for all orders of the same product, such as private proxies of
 * several pay types: the one that comes nearest counts.
 *
 * @returns sentences without a period, none where the answers are alike
 */
export function compareAnswers(
	endpoint: Endpoint,
	live: Answered,
	sandboxAnswers: readonly Answered[],
	options: ComparisonOptions,
): string[] {
	const all = sandboxAnswers.map((each) => compareWith(endpoint, live, each, options));
	const [first = []] = all;
	return all.reduce((least, each) => (each.length < least.length ? each : least), first);
}
