import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	type NodeApiError,
} from 'n8n-workflow';

import { ResponseCache } from '../concurrency/responseCache';
import type { FlatParameters, Query } from '../service/query';
import { toNodeError } from '../transport/describeFailure';
import { itemlessCaller, type Caller, type NodeCaller } from '../transport/caller';
import { runQuery } from '../transport/callService';
import { keyPairFingerprint } from '../credential/kuaidailiCredential';
import { InvalidFieldError } from '../fields/invalidFieldError';

const TIMEOUT_MS = 15_000;

/** The editor searches again with each letter typed into the search field. */
const CACHE_LIMITS = { longestAgeMs: 60_000, largestSize: 100 };

const TYPE_IT =
	"The list needs fixed values in the fields above it. If you use an expression there, choose 'By Code' and enter the code.";

/** The service has no list for the current values of the fields. */
export class NoListError extends Error {}

/** One line of a list. */
export interface Choice {
	readonly name: string;
	readonly value: string;
	/** Whether it matches the text in the search field. */
	matches(typed: string | undefined): boolean;
}

/** How a list is fetched and shown. */
export interface ListSource<T> {
	readonly fetch: (caller: NodeCaller, parameters: FlatParameters) => Promise<T>;
	/** From the fields as they are in the editor now. Throws InvalidFieldError, NoListError. */
	readonly parameters: (valueOf: (name: string) => unknown) => FlatParameters;
	/** What to say if the service returns nothing, without a period. */
	readonly nothing: string;
	/** In the order of the list. Throws NoListError. */
	readonly toChoices: (answer: T, valueOf: (name: string) => unknown) => Choice[];
}

/** The `fetch` of a list that is the answer to one call. */
export function asking<T>(query: Query<T>): ListSource<T>['fetch'] {
	return async (caller, parameters) => await runQuery(caller, query, parameters);
}

/** A method of the node, as n8n calls it. */
export type ListSearchMethod = (
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
 * A list search method of the node. Failures are thrown with their reason: an empty list would look as if
 * nothing were available.
 */
export function listSearchMethod<T>(source: ListSource<T>): ListSearchMethod {
	// One per method: responses of different endpoints must not mix
	const cache = new ResponseCache<T>(CACHE_LIMITS);
	return async function (filter) {
		try {
			const valueOf = (name: string): unknown => this.getCurrentNodeParameter(name);
			const parameters = source.parameters(valueOf);
			const caller = await itemlessCaller(this, TIMEOUT_MS);
			const answer = await cache.obtain(
				questionOf(caller, parameters),
				async () => await source.fetch(caller, parameters),
			);
			const choices = source.toChoices(answer, valueOf);
			if (choices.length === 0) throw new NoListError(source.nothing);
			const results = choices
				.filter((choice) => choice.matches(filter))
				.map(({ name, value }) => ({ name, value }));
			return { results };
		} catch (error) {
			throw forEditor(toNodeError(this.getNode(), error), error instanceof InvalidFieldError);
		}
	};
}
