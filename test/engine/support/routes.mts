import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../../harness/outsideData.mts';
import {
	callsOf,
	EVENT_WAYS,
	type EventWay,
	HELPER_ENDPOINTS,
	isPaid,
	type Path,
	pathOf,
	RESOURCES,
	type Way,
	WAYS,
} from '../../operations/index.mts';
import {
	parametersOf,
	parametersOfEvent,
	worldOf,
	worldOfEvent,
} from '../../operations/outcome.mts';
import type { World } from '../../operations/world.mts';
import { Poller } from './poller.mts';
import type { TestBed } from './testBed.mts';

/** How the node is brought to call an endpoint. */
export interface Route {
	readonly way: Way | EventWay;
	readonly usesToken: boolean;
	/** Whether the call spends money. */
	readonly buys: boolean;
	/** Whether the operation does the rest of its work, and tells of a refusal in a hint. */
	readonly canDoWithout: boolean;
}

function isEvent(way: Way | EventWay): way is EventWay {
	return 'row' in way;
}

/** By the operation that does its work with the endpoint, if there is one; one of its own resource goes first. */
export function routeTo(path: Path): Route {
	const helper = HELPER_ENDPOINTS.find((row) => row.path === path)?.calledWith;
	const ways = WAYS.filter((way) =>
		helper?.signType === 'token' ? way.by === helper.by : callsOf(way).includes(path),
	);
	const owner = RESOURCES.find(({ endpoints }) => endpoints.some((row) => row.path === path));
	const own = ways.filter(({ operation }) => operation.resource === owner?.resource);
	const way =
		[...own, ...ways].find((one) => pathOf(one) === path) ??
		// A token is fetched once
		ways.find((one) => callsOf(one).length === 1) ??
		ways.at(0) ??
		EVENT_WAYS.find(({ row }) => row.path === path);
	if (way === undefined) throw new Error(`Nothing calls ${path}`);
	const buys = !isEvent(way) && pathOf(way) === path && isPaid(way);
	const answer = isEvent(way) ? undefined : way.theCase.answers?.[path];
	const canDoWithout = !isEvent(way) && pathOf(way) !== path && answer?.canDoWithout === true;
	return { way, usesToken: helper?.signType === 'token', buys, canDoWithout };
}

/** What the user gets to know. */
export interface Failure {
	readonly message: string;
	readonly description: string;
	readonly httpCode: unknown;
}

function failureFrom(error: unknown): Failure {
	// n8n makes a copy of it that is no Error any more
	if (!isRecord(error)) throw new Error('Nothing failed');
	const { message, description, httpCode } = error;
	return { message: String(message), description: String(description), httpCode };
}

/** What stands at the output, where the rest of the work was done all the same. */
function hintedFailure(hint: string): Failure {
	const [, httpCode] = /code (-?\d+)/.exec(hint) ?? [];
	return { message: hint, description: hint, httpCode };
}

/** Somebody who is about to go that way. */
export function worldOn({ way }: Route, { sandbox }: TestBed): World {
	return isEvent(way) ? worldOfEvent(way, sandbox) : worldOf(way, sandbox);
}

/** Goes a way on which a call is refused. */
export async function failOn(
	{ way, usesToken, buys, canDoWithout }: Route,
	world: World,
	bed: TestBed,
): Promise<Failure> {
	const signType = usesToken ? 'token' : 'hmacsha1';
	const credentialId = bed.addCredential(world.keys, { keyType: way.by, signType });
	if (isEvent(way)) {
		const parameters = parametersOfEvent(way, world) as IDataObject;
		const poller = new Poller(bed.engine, { parameters, credentialId });
		return failureFrom(await poller.tryOut().catch((error: unknown) => error));
	}
	const { error, items, status, hints } = await bed.engine.run({
		credentialId,
		parameters: parametersOf(way, world) as IDataObject,
		// What may have been bought is not even sent again by that
		settings: buys ? { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } : {},
	});
	if (canDoWithout) return hintedFailure(hints.map(({ message }) => message).join(' '));
	expect(status).toBe('error');
	expect(items).toEqual([]);
	expect(error?.message).not.toContain('[item');
	return failureFrom(error);
}
