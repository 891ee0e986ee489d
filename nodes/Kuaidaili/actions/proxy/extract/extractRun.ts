import type { IExecuteFunctions } from 'n8n-workflow';

import { fingerprintOf } from '../../../../shared/fingerprint';
import { DescribedError } from '../../../../shared/transport/callErrors';
import { ItemContext } from '../../itemContext';
import type { OperationResult } from '../../operation';
import { attachProxy, extractionFor, type ItemGroup } from './attachProxies';
import { readExtractRequest, type ExtractRequest } from './fields';
import { randomSessionStart, sessionOf } from './login';
import { obtainProxies, RunQuota } from './obtainProxies';
import { toResult } from './output';

function settingsOf({ extraction, wantsLogin, itemsPerProxy }: ExtractRequest): string {
	const { endpoint, parameters, wishes, wishesWith, scheme, reuse } = extraction;
	const each = wishesWith !== undefined;
	return fingerprintOf(endpoint.path, parameters, wishes, each, scheme, reuse, [
		wantsLogin,
		itemsPerProxy,
	]);
}

/** One run of "Proxy: Extract" over all input items. */
export class ExtractRun {
	private readonly items: readonly ItemContext[];

	private readonly quota = new RunQuota();

	private readonly sessionStart = randomSessionStart();

	private readonly groups = new Map<string, ItemGroup>();

	private readonly keys: Array<Promise<string>> = [];

	constructor(private readonly context: IExecuteFunctions) {
		this.items = context.getInputData().map((_, index) => new ItemContext(context, index));
	}

	/** @throws InvalidFieldError, CallError */
	async execute(itemIndex: number): Promise<OperationResult> {
		const request = this.read(itemIndex);
		const result =
			request.output === 'forEachInput'
				? await this.attach(itemIndex, request)
				: await this.extract(itemIndex, request);
		if (!this.hidesLogin(request)) return result;
		const hint =
			"User names and passwords are left out, because the model of an AI agent would read them. To include them, turn on 'Include Secrets' in 'Options'.";
		return { ...result, hint: [result.hint, hint].filter(Boolean).join(' ') };
	}

	private read(itemIndex: number): ExtractRequest {
		const item = this.items[itemIndex];
		return readExtractRequest((name) => item.parameter(name), item.callOptions());
	}

	private hidesLogin({ extraction, wantsLogin, includesSecrets }: ExtractRequest): boolean {
		const isSecret = wantsLogin && extraction.login !== undefined;
		return isSecret && !includesSecrets && this.items[0].isForAgent;
	}

	private async obtain(itemIndex: number, request: ExtractRequest) {
		const wantsLogin = request.wantsLogin && !this.hidesLogin(request);
		return await obtainProxies(
			{ ...request, wantsLogin },
			{
				item: this.items[itemIndex],
				quota: this.quota,
			},
		);
	}

	private async extract(itemIndex: number, request: ExtractRequest): Promise<OperationResult> {
		const { extraction, output } = request;
		const { extracted, finish } = await this.obtain(itemIndex, request);
		const wishes = extraction.wishesWith?.(sessionOf(this.sessionStart, itemIndex));
		const proxies = extracted.proxies.map((proxy) => finish(proxy, wishes));
		return toResult({ ...extracted, proxies }, extraction, output);
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

	/** Which items ask for the same, this one among them. The first one extracts for all. */
	private async groupOf(itemIndex: number, request: ExtractRequest): Promise<ItemGroup> {
		const key = await this.keyOf(itemIndex);
		const known = this.groups.get(key);
		if (known !== undefined) return known;
		const members: number[] = [];
		for (let index = itemIndex; index < this.items.length; index += 1) {
			// What is wrong with another item is told when its turn comes
			if ((await this.keyOf(index).catch(() => '')) === key) members.push(index);
		}
		const extraction = extractionFor(request, members.length);
		const obtained = this.obtain(itemIndex, { ...request, extraction });
		// Each member tells what went wrong; that the first one has not asked yet is no reason to end n8n
		obtained.catch(() => {});
		const group = { members, extraction, obtained };
		this.groups.set(key, group);
		return group;
	}

	private keyOf(index: number): Promise<string> {
		this.keys[index] ??= this.readKey(index);
		return this.keys[index];
	}

	/** The same for items that can share an extraction. */
	private async readKey(index: number): Promise<string> {
		const request = this.read(index);
		if (request.output !== 'forEachInput') return '';
		return fingerprintOf(settingsOf(request), await this.items[index].orderKey());
	}
}
