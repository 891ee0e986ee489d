import {
	NodeOperationError,
	type NodeApiError,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
} from 'n8n-workflow';

import { keyPairFingerprint } from '../../../shared/credential/secretToken';
import type { FlatParameters } from '../../../shared/credential/signature';
import { FieldRefusedError } from '../../../shared/fields/fieldRefusedError';
import type { UnknownRecord } from '../../../shared/guards';
import { toNodeError } from '../../../shared/toNodeError';
import type { Caller } from '../../../shared/transport/callService';
import { itemlessCaller } from '../../../shared/transport/nodeCaller';
import { AnswerCache } from './answerCache';
import { matchesSearch, regionLabel, type Region } from './regionLabel';

const TIMEOUT_MS = 15_000;

const TYPE_IT =
	"A list needs plain values in the fields above it; with an expression there, choose 'By Code' and type the code.";

/** The service has no list for what the fields say. */
export class NoListError extends Error {}

/** A region in a list. */
export interface Choice extends Region {
	/** What is shown behind the name, such as ", 12 left". */
	readonly note?: string;
}

/** How a picker gets its list. */
export interface PickerSource<T extends UnknownRecord> {
	readonly ask: (caller: Caller, parameters: FlatParameters) => Promise<T[]>;
	/** From the fields as they are in the editor now. Throws FieldRefusedError, NoListError. */
	readonly parameters: (valueOf: (name: string) => unknown) => FlatParameters;
	/** What to say when the service has nothing; without a full stop. */
	readonly nothing: string;
	readonly toChoices: (records: readonly T[]) => Choice[];
}

/** A method of the node, as n8n calls it. */
export type PickerMethod = (
	this: ILoadOptionsFunctions,
	filter?: string,
) => Promise<INodeListSearchResult>;

function questionOf({ credential }: Caller, parameters: FlatParameters): string {
	return JSON.stringify([
		keyPairFingerprint(credential),
		credential.hosts,
		Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1)),
	]);
}

/** The editor shows nothing but the message. */
function forEditor<T extends NodeApiError | NodeOperationError>(error: T, isField: boolean): T {
	const sentences = [error.message, error.description ?? '', isField ? TYPE_IT : ''];
	error.message = sentences
		.filter(Boolean)
		.map((sentence) => (/[.…]$/.test(sentence) ? sentence : `${sentence}.`))
		.join(' ');
	return error;
}

/**
 * A method that fills a picker. What goes wrong is thrown with its reason; an empty list would look as
 * if nothing could be had.
 */
export function picker<T extends UnknownRecord>(source: PickerSource<T>): PickerMethod {
	// One per picker: records of different endpoints must not meet
	const cache = new AnswerCache<T[]>();
	return async function (filter) {
		try {
			const parameters = source.parameters((name) => this.getCurrentNodeParameter(name));
			const caller = await itemlessCaller(this, TIMEOUT_MS);
			const records = await cache.obtain(
				questionOf(caller, parameters),
				async () => await source.ask(caller, parameters),
			);
			if (records.length === 0) throw new NoListError(source.nothing);
			const results = source
				.toChoices(records)
				.filter((choice) => matchesSearch(choice, filter))
				.map((choice) => ({
					name: `${regionLabel(choice)}${choice.note ?? ''}`,
					value: choice.code,
				}))
				.sort((a, b) => a.name.localeCompare(b.name, 'en'));
			return { results };
		} catch (error) {
			throw forEditor(toNodeError(this.getNode(), error), error instanceof FieldRefusedError);
		}
	};
}
