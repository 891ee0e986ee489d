import type { IExecuteFunctions } from 'n8n-workflow';

import { fingerprintOf } from '../../../../shared/fingerprint';
import { DescribedError } from '../../../../shared/errors/callErrors';
import { isCancelled } from '../../../nodeRun';
import type { Item, ItemOutcome, OperationResult, RunOutcome } from '../../../operation';
import { runItems } from '../../runItems';
import { attachProxy, extractionFor, type ItemGroup } from './attachProxies';
import { readExtractRequest, type ExtractRequest } from './extractRequest';
import { randomSessionStart, sessionOf } from './login';
import { obtainProxies, type Obtained } from './obtainProxies';
import { listsHint, toResult } from './output';
import { runMemoryOf, type RunMemory } from './runMemory';
import { RunQuota } from './runQuota';

/** Items with equal settings can share an extraction. */
function settingsOf(request: ExtractRequest): string {
	const { extraction, settings, wantsLogin, itemsPerProxy, mostPerRun } = request;
	const { endpoint, parameters, wishes, wishesWith, scheme, reuse } = extraction;
	const hasSessions = wishesWith !== undefined;
	const ofTunnel = [wishes, hasSessions, scheme];
	const ofRun = [settings, wantsLogin, itemsPerProxy, mostPerRun];
	return fingerprintOf(endpoint.path, parameters, reuse, ofTunnel, ofRun);
}

/** How many items have their key pairs read in parallel. */
const AT_A_TIME = 50;

interface ItemRequest extends ExtractRequest {
	/** Whether a login is wanted that the model of an agent must not read. */
	readonly hidesLogin: boolean;
}

/** One run of "Proxy: Extract" over all input items. */
export class ExtractRun {
	private runMemory?: RunMemory;

	private readonly notWaitedFor = new Set<string>();

	private readonly sessionStart = randomSessionStart();

	private readonly requests = new Map<number, ItemRequest>();

	private members?: Promise<ReadonlyMap<string, readonly number[]>>;

	/** For items that each get a list: how many proxies came, grouped by what was asked for. */
	private readonly listLengths = new Map<string, number[]>();

	private readonly groups = new Map<readonly number[], ItemGroup>();

	private readonly keys: Array<Promise<string | undefined>> = [];

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly items: readonly Item[],
	) {}

	async executeAll(): Promise<RunOutcome> {
		// An error ends the run then, and what was extracted before it would be lost
		const refused = this.context.continueOnFail() ? undefined : await this.refusedBeforehand();
		if (refused !== undefined) return { items: new Map([refused]) };
		const { items } = await runItems(
			this.context,
			async (itemIndex) => await this.execute(itemIndex),
		);
		if (isCancelled(this.context)) this.reportCancelled();
		const [lengths = [], ...others] = this.listLengths.values();
		// Items that ask for different things are meant to get a list each
		const hint = others.length === 0 ? listsHint(lengths) : undefined;
		return { items, hints: hint === undefined ? [] : [hint], note: this.noteForError(items) };
	}

	/** n8n saves no output of a cancelled node: the log is left. */
	private reportCancelled(): void {
		const counted = this.runMemory?.quota.inWords;
		const { name } = this.context.getNode();
		if (counted === undefined) return;
		this.context.logger.warn(`'${name}' was cancelled. ${counted}, and its output is lost.`);
	}

	/** An error that ends the run loses what other items brought. */
	private noteForError(items: RunOutcome['items']): string | undefined {
		const counted = this.runMemory?.quota.inWords;
		const brought = [...items.values()].some((outcome) => 'result' in outcome);
		if (!brought || counted === undefined) return undefined;
		return `${counted}. To get those of the other items when one fails, set 'On Error' in the settings of the node to 'Continue'.`;
	}

	/** The first item that is known to be wrong before anything is extracted. */
	private async refusedBeforehand(): Promise<[number, ItemOutcome] | undefined> {
		const planned = new RunQuota();
		for (const itemIndex of this.items.keys()) {
			const error = await this.plan(itemIndex, planned).then(
				() => undefined,
				(failure: unknown) => ({ failure }),
			);
			if (error !== undefined) return [itemIndex, { error: error.failure }];
		}
		return undefined;
	}

	/** @throws InvalidFieldError, CallError */
	private async plan(itemIndex: number, planned: RunQuota): Promise<void> {
		const request = this.read(itemIndex);
		const isForEach = request.output === 'forEachInput';
		const members = isForEach ? await this.membersOf(itemIndex) : [itemIndex];
		const { total, isUsedUp, reuse } = isForEach
			? extractionFor(request, members.length)
			: request.extraction;
		// With reuse, only the pool knows how many are missing
		const needsAll = isUsedUp && reuse === undefined && members[0] === itemIndex;
		planned.take(needsAll ? total : 0, request.mostPerRun);
	}

	/** @throws InvalidFieldError, CallError */
	private async execute(itemIndex: number): Promise<OperationResult> {
		const request = this.read(itemIndex);
		const result =
			request.output === 'forEachInput'
				? await this.attach(itemIndex, request)
				: await this.extract(itemIndex, request);
		if (!request.hidesLogin) return result;
		const hint =
			"User names and passwords are left out, because the model of an AI agent would read them. To include them, turn on 'Include Secrets' in 'Options'.";
		return { ...result, hint: [result.hint, hint].filter(Boolean).join(' ') };
	}

	/** What was entered for an item; a model gets logins only where that was asked for. */
	private read(itemIndex: number): ItemRequest {
		let request = this.requests.get(itemIndex);
		if (request !== undefined) return request;
		const item = this.items[itemIndex];
		const read = readExtractRequest((name) => item.parameter(name), item.callOptions());
		const isSecret = read.wantsLogin && read.extraction.login !== undefined;
		const hidesLogin = isSecret && !read.includesSecrets && item.isForAgent;
		request = { ...read, wantsLogin: read.wantsLogin && !hidesLogin, hidesLogin };
		this.requests.set(itemIndex, request);
		return request;
	}

	/** Only where something is used up: finding out which run of the node this is takes long. */
	private memory(): RunMemory {
		this.runMemory ??= runMemoryOf(this.context);
		return this.runMemory;
	}

	private async obtain(itemIndex: number, request: ExtractRequest): Promise<Obtained> {
		const { notWaitedFor } = this;
		const item = this.items[itemIndex];
		return await obtainProxies(request, {
			item,
			itemKey: String(itemIndex),
			memory: () => this.memory(),
			notWaitedFor,
		});
	}

	private async extract(itemIndex: number, request: ExtractRequest): Promise<OperationResult> {
		const { extraction, output } = request;
		const { extracted, finish } = await this.obtain(itemIndex, request);
		const wishes = extraction.wishesWith?.(sessionOf(this.sessionStart, itemIndex));
		const proxies = extracted.proxies.map((proxy) => finish(proxy, wishes));
		this.noteList(request, proxies.length);
		return toResult({ ...extracted, proxies }, extraction, output);
	}

	private noteList(request: ExtractRequest, length: number): void {
		if (this.items.length < 2) return;
		const key = fingerprintOf(settingsOf(request), request.extraction.total);
		const lengths = this.listLengths.get(key) ?? [];
		lengths.push(length);
		this.listLengths.set(key, lengths);
	}

	private async attach(itemIndex: number, request: ExtractRequest): Promise<OperationResult> {
		const group = await this.groupOf(itemIndex, request);
		const input = this.context.getInputData()[itemIndex];
		const result = await attachProxy(input, itemIndex, request, group, this.sessionStart);
		if (result !== undefined) return result;
		throw new DescribedError({
			message: 'No proxy came for this item',
			description: 'None matches at the moment. Relax the filters, or try again in a few minutes.',
		});
	}

	/**
	 * The items with the same settings as this one, itself included. The first one to get here extracts for
	 * all.
	 */
	private async groupOf(itemIndex: number, request: ExtractRequest): Promise<ItemGroup> {
		const members = await this.membersOf(itemIndex);
		const known = this.groups.get(members);
		if (known !== undefined) return known;
		const extraction = extractionFor(request, members.length);
		const obtained = this.obtain(itemIndex, { ...request, extraction });
		// Each member awaits it later and reports the error; until then, an unhandled rejection would end
		// n8n
		obtained.catch(() => {});
		const group = { members, extraction, obtained };
		this.groups.set(members, group);
		return group;
	}

	/** Indexes of the items that share an extraction with this one, in their order. */
	private async membersOf(itemIndex: number): Promise<readonly number[]> {
		this.members ??= this.groupItems();
		const key = await this.keyOf(itemIndex);
		const members = key === undefined ? undefined : (await this.members).get(key);
		return members ?? [itemIndex];
	}

	private async groupItems(): Promise<ReadonlyMap<string, readonly number[]>> {
		const groups = new Map<string, number[]>();
		for (const itemIndex of this.items.keys()) {
			// n8n reads the credential from its database for each item, which takes longer than all the rest
			if (itemIndex % AT_A_TIME === 0) await this.readKeys(itemIndex);
			// An error of another item is reported when its turn comes
			const key = await this.keyOf(itemIndex).catch(() => undefined);
			if (key === undefined) continue;
			const members = groups.get(key) ?? [];
			members.push(itemIndex);
			groups.set(key, members);
		}
		return groups;
	}

	private async readKeys(from: number): Promise<void> {
		const some = [...this.items.keys()].slice(from, from + AT_A_TIME);
		await Promise.allSettled(some.map(async (index) => await this.keyOf(index)));
	}

	private keyOf(index: number): Promise<string | undefined> {
		this.keys[index] ??= this.readKey(index);
		return this.keys[index];
	}

	/** Equal for items that can share an extraction; undefined for items that cannot. */
	private async readKey(index: number): Promise<string | undefined> {
		const request = this.read(index);
		if (request.output !== 'forEachInput') return undefined;
		return fingerprintOf(settingsOf(request), await this.items[index].orderKey());
	}
}
