import type { IDataObject } from 'n8n-workflow';

import { CASES, EVENT_WAYS, WAYS } from '../../operations/index.mts';
import {
	parametersOf,
	parametersOfEvent,
	proveEvent,
	proveOutcome,
	worldOf,
	worldOfEvent,
} from '../../operations/outcome.mts';
import type { World } from '../../operations/world.mts';
import { Poller } from '../support/poller.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

function credentialOf({ by, keys }: World): string {
	return bed().addCredential(keys, { keyType: by });
}

it.each(WAYS)('$name', async (way) => {
	const world = worldOf(way, bed().sandbox);
	const { error, items, errorItems, hints } = await bed().engine.run({
		settings: way.operation.settings,
		credentialId: credentialOf(world),
		parameters: parametersOf(way, world) as IDataObject,
	});
	expect(error).toBeUndefined();
	expect(errorItems).toEqual([]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(items.map(() => ({ item: 0 })));
	proveOutcome(way, world, {
		records: items.map(({ json }) => json),
		hints: hints.map(({ message }) => message),
	});
});

const ON_ACCOUNTS = CASES.filter(({ operation }) => operation.key === 'account');

it.each(ON_ACCOUNTS)('$name: not with that of an order, and nothing is sent', async (way) => {
	const world = worldOf(
		{ ...way, by: 'order', theCase: { order: 'tps', ...way.theCase } },
		bed().sandbox,
	);
	const { error } = await bed().engine.run({
		credentialId: credentialOf(world),
		parameters: parametersOf(way, world) as IDataObject,
	});
	expect(error?.message).toContain("This operation needs the account's key pair");
	expect(error?.description).toContain("'Key Type' to 'Account'");
	expect(bed().sandbox.log.count()).toBe(0);
});

it.each(EVENT_WAYS)('$name, tried out by hand', async (way) => {
	const world = worldOfEvent(way, bed().sandbox);
	const parameters = parametersOfEvent(way, world) as IDataObject;
	const credentialId = credentialOf(world);
	const items = await new Poller(bed().engine, { parameters, credentialId }).tryOut();
	proveEvent(
		way,
		world,
		(items ?? []).map(({ json }) => json),
	);
});
