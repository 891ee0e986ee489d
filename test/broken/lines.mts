import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A line of the product that matters, what it would be if somebody broke it, and who has to notice. */
export interface BrokenLine {
	/** What a user would suffer. */
	readonly harm: string;
	/** Below `nodes/`. */
	readonly file: string;
	/** Stands there once. */
	readonly right: string;
	readonly wrong: string;
	/** Below `test/`; parts of paths, as Jest takes them. */
	readonly tests: readonly string[];
}

function line(
	harm: string,
	file: string,
	right: string,
	wrong: string,
	...tests: string[]
): BrokenLine {
	return { harm, file, right, wrong, tests };
}

const PURCHASE = 'Kuaidaili/purchase';
const API = 'shared/api';
const EVENTS = 'KuaidailiTrigger/events';

export const BROKEN_LINES: readonly BrokenLine[] = [
	// Money
	line(
		'pays twice after a time-out',
		`${API}/retryPolicy.ts`,
		"if (error instanceof NetworkError) return error.failure.mayHaveArrived ? 'unclear' : 'notSent';",
		"if (error instanceof NetworkError) return 'notSent';",
		'engine/purchases/oncePerItem',
		'unit/nodes/shared/api/callService',
	),
	line(
		'pays twice in an execution that n8n runs twice at once',
		`${PURCHASE}/onePurchase.ts`,
		"if (output !== undefined) return { kind: 'output', output };",
		"if (output?.record.renewed === false) return { kind: 'output', output };",
		'engine/purchases/deadWorker',
	),
	line(
		'sends a purchase that another worker may not find in the records',
		`${PURCHASE}/durableRecords.ts`,
		'await wait(QUESTION_MS, undefined);\n\t\t\tawait this.records.record(texts);',
		'await wait(QUESTION_MS, undefined);',
		'unit/nodes/Kuaidaili/purchase/durableRecords',
	),
	line(
		'repeats a purchase as it repeats a read',
		'shared/service/endpoint.ts',
		"return kind === 'read' || kind === 'setting';",
		"return kind !== 'quota';",
		'unit/nodes/shared/api/callService',
		'engine/purchases/oncePerItem',
	),
	line(
		'renews the order that another call of the agent named',
		'Kuaidaili/run/nodeRun.ts',
		'if (!compared.some(differs)) return;',
		'return;',
		'engine/operations/agentCalls',
	),
	line(
		'goes over the budget',
		`${PURCHASE}/spending.ts`,
		'if (roundYuan(spent + expectedCost) > maxCost) {',
		'if (spent > maxCost) {',
		'engine/purchases/costs',
	),
	line(
		'spends the balance that was to be kept',
		`${PURCHASE}/spending.ts`,
		'if (roundYuan(left - expectedCost) >= minimumBalance ||',
		'if (left >= minimumBalance ||',
		'engine/purchases/limits',
	),
	line(
		'forgets what a late balance does not show yet',
		`${PURCHASE}/spending.ts`,
		'ceiling -= countedCost(purchase, expectedCost)',
		'ceiling -= 0',
		'engine/purchases/costs',
		'unit/nodes/Kuaidaili/purchase',
	),
	line(
		'sends a purchase again while its first delivery is still at work',
		`${PURCHASE}/conclusion.ts`,
		"if (snapshots < 2) return 'readAgain';",
		"if (snapshots < 1) return 'readAgain';",
		'engine/purchases/lostAnswers',
		'unit/nodes/Kuaidaili/purchase',
	),
	line(
		'renews an order again where the item asks for another time',
		`${PURCHASE}/onePurchase.ts`,
		'item: isRenewal ? key : inputItem.fingerprint,',
		'item: isRenewal ? fingerprintOf(goods) : inputItem.fingerprint,',
		'engine/purchases/anotherItem',
	),
	line(
		'renews an order again from an end that the service shows late',
		`${PURCHASE}/onePurchase.ts`,
		'const renewal = this.isRenewal && this.hasTerm ?',
		'const renewal = this.isRenewal && !this.hasTerm ?',
		'engine/purchases/lostAnswers',
	),
	line(
		'buys anywhere where the expression of a place finds nothing',
		'shared/fields/valueKinds.ts',
		'toText: (value) => (value === undefined || value === null ? NOT_ACCEPTED : kind.toText(value)),',
		'toText: (value) => kind.toText(value),',
		'engine/purchases/newOrders',
	),
	line(
		'buys more orders than allowed',
		`${PURCHASE}/onePurchase.ts`,
		'if (made >= maxOrders) throw',
		'if (made > maxOrders) throw',
		'engine/purchases/oncePerItem',
	),
	line(
		'buys in a dry run',
		`${PURCHASE}/onePurchase.ts`,
		'if (subject.isDry) return this.dryRunOutput();',
		'if (subject.isDry && subject.isConditional) return this.dryRunOutput();',
		'engine/purchases/dryRun',
	),
	line(
		'renews an order twice in one execution',
		`${PURCHASE}/onePurchase.ts`,
		'if (renewal !== undefined && ledger.isOfThisExecution(renewal)) {',
		'if (renewal !== undefined && subject.isDry) {',
		'engine/purchases/oncePerItem',
	),
	line(
		"takes a colleague's order for its own after a worker died",
		`${PURCHASE}/onePurchase.ts`,
		"if (this.isRenewal) return { kind: 'paid', record: { ...found.record, verified: true } };",
		"if (state !== undefined) return { kind: 'paid', record: found.record };",
		'engine/purchases/deadWorker',
	),
	line(
		'lets an order lapse that a limit held back',
		`${PURCHASE}/purchaseRun.ts`,
		'if (!isLapsing || money.dryRun) {',
		'if (isLapsing || money.dryRun) {',
		'engine/purchases/lapsing',
	),
	line(
		'buys again in the retry of a retry that was killed',
		`${PURCHASE}/ledger.ts`,
		'isLost ? await records.firstExecution(executionName(retried)) :',
		'isLost ? executionName(retried) :',
		'engine/purchases/retries',
	),
	line(
		'buys again in the retry of a retry that never came to the node',
		`${PURCHASE}/ledger.ts`,
		"saved.isOfUnknown ??= left === ''",
		'saved.isOfUnknown ??= false',
		'engine/purchases/retries',
	),
	line(
		'signs the same click differently on each worker',
		'shared/api/signRequest.ts',
		'signedAt: serviceTime - ageMs',
		'signedAt: serviceTime',
		'engine/purchases/workers',
		'unit/nodes/shared/api',
	),
	line(
		'signs a click in a window whose neighbor may not have recorded its own yet',
		`${PURCHASE}/sharedSigning.ts`,
		'!mayKeep && ageMs < this.settledMs',
		'isRefusedIn(NaN)',
		'engine/purchases/workers',
		'unit/nodes/Kuaidaili/purchase/sharedSigning',
	),
	line(
		'buys again on a double click',
		`${PURCHASE}/ledger.ts`,
		'return entry.manualExecution !== manualExecution;',
		'return entry.manualExecution === manualExecution;',
		'engine/purchases/repeatedClick',
	),
	line(
		'buys again in a retry what somebody has bought by a click since',
		`${PURCHASE}/durableRecords.ts`,
		'...(isByHand ? [clicked(item)] : [])',
		'...(isByHand ? [] : [])',
		'engine/purchases/retries',
	),
	line(
		'buys what another worker has bought since it was refused here',
		`${PURCHASE}/onePurchase.ts`,
		'return await this.guardRepeatElsewhere(true);',
		'return undefined;',
		'engine/purchases/workers',
	),
	line(
		'keeps a person from buying what a limit held back',
		`${PURCHASE}/purchaseRun.ts`,
		'if (error instanceof LimitReachedError) await purchase.leaveOut();',
		'',
		'engine/purchases/anotherItem',
	),
	line(
		'buys again after a worker died',
		`${PURCHASE}/ledger.ts`,
		'(await records.noteRun(run)) === true;',
		'(await records.noteRun(run)) === undefined;',
		'engine/purchases/deadWorker',
	),
	line(
		'pays twice what a gateway delivers twice',
		`${API}/apiClient.ts`,
		"credential.signType === 'token' && kind !== 'purchase'",
		"credential.signType === 'token'",
		'engine/purchases/faults',
	),
	line(
		'pays twice what was refused after it was done',
		`${PURCHASE}/onePurchase.ts`,
		'=> {\n\t\t\tconst settled = failure && (await this.settle(failure));',
		'=> {\n\t\t\tconst settled = failure && ((): Settlement | undefined => undefined)();',
		'engine/purchases/oncePerItem',
	),
	line(
		'tops an order up again while its balance does not show yet',
		`${PURCHASE}/ledger.ts`,
		'subject.isConditional ? isLate(entry) :',
		'subject.isConditional ? isDry :',
		'engine/purchases/lostAnswers',
	),
	line(
		'says that an order is its own which may be another one',
		`${PURCHASE}/onePurchase.ts`,
		'if (ledger.pending(subject, sent.at).length > 0) {',
		'if (sent.at < 0) {',
		'engine/purchases/lostAnswers',
	),
	line(
		'takes what another worker bought for its own',
		`${PURCHASE}/onePurchase.ts`,
		'(await this.records?.claim(claim)) !== false;',
		'sent.at > 0;',
		'engine/purchases/deadWorker',
	),
	line(
		'reports the cost of another purchase',
		`${PURCHASE}/spending.ts`,
		'fall > 0 && !this.mayShowOthers(subject, before.at) ?',
		'fall > 0 ?',
		'engine/purchases/costs',
	),
	line(
		'renews an order that has long enough',
		'Kuaidaili/actions/order/renew/renewal.ts',
		'if (expiresAt - now <= window.ms) return undefined;',
		'if (expiresAt - now <= window.ms * 2) return undefined;',
		'engine/purchases/renewals',
		'unit/nodes/Kuaidaili/actions/orders',
	),
	line(
		'buys traffic that is not needed',
		'Kuaidaili/actions/order/renew/renewal.ts',
		'if (amount < Number(limit)) return undefined;',
		'if (amount <= Number(limit)) return undefined;',
		'engine/purchases/conditions',
	),
	line(
		'orders more than there were to be',
		'Kuaidaili/actions/order/create.operation.ts',
		'if (count < fewerThan) return undefined;',
		'if (count <= fewerThan) return undefined;',
		'engine/purchases/conditions',
	),
	line(
		'loses an order that was placed right after another one',
		'Kuaidaili/actions/order/create.operation.ts',
		'new Set([...before.orders, ...placed].map(',
		'new Set([...before.orders].map(',
		'engine/purchases/lostAnswers',
	),
	line(
		'takes a number beyond a range to Kuaidaili',
		'shared/fields/valueKinds.ts',
		'value >= min && value <= max && value % step === 0',
		'value >= min && value <= max',
		'unit/nodes/shared/fields/valueKinds',
	),

	// Quota
	line(
		'extracts again what n8n repeats',
		'Kuaidaili/proxies/proxyExtractor.ts',
		'if (extracted.proxies.length > 0) this.extracted.set(key, extracted);',
		'',
		'engine/extraction/quota',
	),
	line(
		'extracts more than the limit',
		'Kuaidaili/proxies/proxyExtractor.ts',
		'Math.min(count, max - this.count)',
		'Math.min(count, max)',
		'engine/extraction/quota',
	),
	line(
		'throws away proxies that could be used again',
		'Kuaidaili/proxies/proxyPool.ts',
		'this.livesFor(reuse?.minimumSecondsLeft ?? 0)',
		'this.livesFor(2 * (reuse?.minimumSecondsLeft ?? 0))',
		'unit/nodes/Kuaidaili/proxies/proxyPool',
		'engine/extraction/quota',
	),
	line(
		'hands out a proxy that failed',
		'Kuaidaili/proxies/proxyPool.ts',
		'return this.retire();',
		'return;',
		'unit/nodes/Kuaidaili/proxies/proxyProvider',
	),
	line(
		'extracts ahead without a thought of sites that begin to block',
		'Kuaidaili/proxies/extractionAhead.ts',
		'Math.max(atWork, opened * MOST_OF_OPENED)',
		'Math.max(atWork, opened)',
		'unit/nodes/Kuaidaili/proxies/extractionAhead',
		'engine/pages/circuitBreaker',
	),
	line(
		'counts the proxies to extract long before the call may leave',
		'Kuaidaili/proxies/proxyProvider.ts',
		'this.nextCallMs = await settings.item.untilCallable(endpoint, intervalMs, providers.ended);',
		'this.nextCallMs = 0;',
		'unit/nodes/Kuaidaili/proxies/proxyProvider',
	),
	line(
		'begins with the first pages before others can share their extraction',
		'Kuaidaili/pages/run/pageRun.ts',
		'before = this.waiting.size;',
		'before = Infinity;',
		'engine/pages/runs',
	),
	line(
		'invents a proxy from any text',
		'Kuaidaili/proxies/entries.ts',
		' || port > LARGEST_PORT',
		'',
		'unit/nodes/Kuaidaili/proxies/entries',
		'unit/nodes/Kuaidaili/proxies/proxyList',
	),

	// Secrets
	line(
		'shows a key that a gateway echoes in a URL',
		'shared/api/cleanText.ts',
		"bytes.join('')",
		'plain',
		'unit/nodes/shared/api/errors',
	),
	line(
		'shows the beginning of an answer that holds a key',
		'shared/api/httpResponse.ts',
		"endpoint.secretAnswer === true ? '' : excerpt(reply.body, secrets)",
		'excerpt(reply.body, secrets)',
		'unit/nodes/shared/api/httpResponse',
		'engine/calls/transportFaults',
		'engine/calls/secrets',
	),
	line(
		'sends the credential to any host',
		'shared/api/signRequest.ts',
		'if (own.includes(origin)) return;',
		'if (own.length > 0) return;',
		'unit/nodes/shared/api',
		'engine/calls/orderAccess',
	),
	line(
		'sends keys over plain http',
		'shared/service/hosts.ts',
		"protocol === 'http:' && !/^(?:localhost",
		"protocol === 'ftp:' && !/^(?:localhost",
		'unit/nodes/shared/service/service',
	),
	line(
		'signs what is not sent',
		'shared/api/signRequest.ts',
		'.sort((a, b) => Buffer.compare(a.nameBytes, b.nameBytes))',
		'.sort((a, b) => a.text.localeCompare(b.text))',
		'unit/nodes/shared/api',
	),
	line(
		'sends a purchase of HTTP Request a second time',
		'shared/api/secondPurchase.ts',
		"Object.hasOwn(fields, 'signature')",
		"Object.hasOwn(fields, 'token')",
		'unit/credentials',
		'unit/nodes/shared/api',
	),

	// Retry and pace
	line(
		'gives up a read after the first failure',
		`${API}/retryPolicy.ts`,
		'\trepeat: { most: 2, pauseMs: backoffMs, isWithinItsTime: true },',
		'\trepeat: { most: 0 },',
		'unit/nodes/shared/api/callService',
	),
	line(
		'repeats a read without a pause',
		`${API}/retryPolicy.ts`,
		'return Math.max(own, Math.min(asked, LONGEST_RETRY_AFTER_MS));',
		'return 0;',
		'unit/nodes/shared/api/callService',
	),
	line(
		'calls faster than Kuaidaili allows',
		`${API}/rateLimiter.ts`,
		'return pace.lastStart + this.spacing(intervalMs) * (leavesGap ? 2 : 1);',
		'return pace.lastStart + (leavesGap ? 2 : 0.5) * intervalMs;',
		'unit/nodes/shared/api/rateLimiter',
		'engine/calls/waits',
	),
	line(
		'keeps a token that Kuaidaili refused',
		`${API}/apiClient.ts`,
		'secretTokens.forget(key, (known) => known.token === token);',
		'',
		'engine/calls/tokens',
	),
	line(
		'keeps a key pair that was changed',
		'shared/api/orderAccess.ts',
		'secretId === refused.secretId && secretKey === refused.secretKey',
		'secretId === refused.secretKey',
		'engine/calls/tokens',
		'engine/calls/orderAccess',
	),

	// Reading answers and fields
	line(
		'changes the digits of an order number',
		'shared/api/parseBody.ts',
		'JSON.parse(step.value.text)',
		'JSON.parse(text)',
		'unit/nodes/shared/api',
	),
	line(
		'takes a refusal in the text format for a proxy',
		'shared/api/parseBody.ts',
		'const TEXT_REFUSAL = /^ERROR',
		'const TEXT_REFUSAL = /^FAILURE',
		'unit/nodes/shared/api/parseBody',
	),
	line(
		'takes China time for the time of the machine',
		'shared/service/chinaTime.ts',
		"zone = '+08:00'",
		"zone = 'Z'",
		'unit/nodes/shared/service/service',
	),
	line(
		'puts an address inside a network on a whitelist',
		'shared/fields/valueKinds.ts',
		'(entry) => isIpv4(entry) && !NOT_PUBLIC.test(entry),',
		'isIpv4,',
		'engine/operations/whitelist',
	),
	line(
		'sends the value of a hidden field',
		'shared/fields/field.ts',
		'if (!mayBeThere || this.texts.has(field.name)) continue;',
		'if (this.texts.has(field.name)) continue;',
		'unit/nodes/shared/fields/field',
	),
	line(
		'takes a limit without a value for no limit',
		'shared/fields/field.ts',
		'return Number(readRequiredField(field, Reflect.get(collection, field.name)));',
		'return Number(readField(field, Reflect.get(collection, field.name)) ?? Infinity);',
		'engine/purchases/repeatedClick',
		'unit/nodes/shared/fields/field',
		'engine/purchases/limits',
	),

	// Trigger
	line(
		'tells of an order once and never again',
		`${EVENTS}/orderExpiry.ts`,
		'Math.abs(now - at) >= intervalMs(remindEvery)',
		'Math.abs(now - at) >= intervalMs(remindEvery) * 10',
		'engine/trigger/orderEvents',
	),
	line(
		'forgets an order that ended while n8n was down',
		`${EVENTS}/orderExpiry.ts`,
		"const isSame = ownValue(state, 'subject') === subject;",
		"const isSame = ownValue(state, 'subject') === polledAt;",
		'unit/nodes/KuaidailiTrigger',
		'engine/trigger/orderEvents',
	),
	line(
		'starts a workflow at each poll while the balance is low',
		`${EVENTS}/balancesBelow.ts`,
		'isBelow && !wasBelow.has(key)',
		'isBelow',
		'engine/trigger/balancesBelow',
	),
	line(
		'is silent for ever when Kuaidaili does not answer',
		'KuaidailiTrigger/pollEvent.ts',
		'now - since < QUIET_MS || !isToShow(key)',
		'now - since < 100 * QUIET_MS || !isToShow(key)',
		'engine/trigger/failedPolls',
	),

	// Pages
	line(
		'requests a page without a proxy',
		'Kuaidaili/pages/http/proxiedRequest.ts',
		"scheme === 'http' &&",
		'',
		'unit/nodes/Kuaidaili/pages/http/proxiedRequest',
	),
	line(
		'sends a form twice',
		'Kuaidaili/pages/run/openPage.ts',
		'mayRepeat: !this.isPost || !mayHaveArrived,',
		'mayRepeat: true,',
		'unit/nodes/Kuaidaili/pages/run/openPage',
		'engine/pages/open',
	),
	line(
		'waits for an open proxy where waiting does not help',
		'Kuaidaili/proxies/products/openProxy.ts',
		"440: proxyStatus(\n\t\t'service',",
		"440: proxyStatus(\n\t\t'bandwidth',",
		'unit/nodes/Kuaidaili/proxies/proxyStatuses',
	),
	line(
		"takes a proxy's words in the status line for an answer of the page",
		'Kuaidaili/proxies/proxyStatuses.ts',
		'return [statusText.slice(0, LONGEST_WORDS).trim(), line];',
		'return [line];',
		'unit/nodes/Kuaidaili/proxies/proxyStatuses',
	),
	line(
		"lets 'Retry On Fail' repeat a check for what an input item brought",
		'Kuaidaili/actions/proxy/check.operation.ts',
		"['error', 'valid']",
		"['valid']",
		'engine/extraction/check',
	),
	line(
		'sends cookies that were typed to another site',
		'Kuaidaili/pages/http/fetchPage.ts',
		'const isSameSite = from.hostname === to.hostname && isSafe;',
		'const isSameSite = from.hostname !== to.hostname || isSafe;',
		'unit/nodes/Kuaidaili/pages/http/fetchPage',
	),
	line(
		'ends a run for one dead site',
		'Kuaidaili/pages/run/circuitBreaker.ts',
		'&& sites.size >= FEWEST_SITES',
		'',
		'engine/pages/circuitBreaker',
	),
	line(
		'throws away a proxy because a page behind a redirect is slow',
		'Kuaidaili/pages/run/classifyAttempt.ts',
		"source === 'page' || redirects.length > 0",
		"source === 'page'",
		'engine/pages/failures',
	),
	line(
		'crawls beyond Max Pages',
		'Kuaidaili/pages/crawl/frontier.ts',
		'this.remaining -= 1;',
		'this.remaining -= 0;',
		'engine/pages/crawl',
	),
	line(
		'puts out twice what redirects lead to',
		'Kuaidaili/pages/crawl/frontier.ts',
		'const isFirst = before?.lastUrl === undefined || pageKey(before.lastUrl) !== key;',
		'const isFirst = true;',
		'engine/pages/crawl',
	),
	line(
		'forgets after a Wait what was extracted',
		'Kuaidaili/proxies/proxyExtractor.ts',
		'if (saved.execution !== execution)',
		'if (saved)',
		'engine/extraction/quota',
	),
	line(
		'uses up proxies on a site that lets nobody in',
		'Kuaidaili/pages/run/circuitBreaker.ts',
		'return limit > 0 && proxies.size >= limit;',
		'return limit > 0 && proxies.size >= 10 * limit;',
		'engine/pages/circuitBreaker',
		'unit/nodes/Kuaidaili/pages/run/openPage',
	),
	line(
		'forgets between the runs of a loop which site lets nobody in',
		'Kuaidaili/pages/run/circuitBreaker.ts',
		'const breaker = breakers.get(orderKey) ?? new CircuitBreaker();',
		'const breaker = new CircuitBreaker();',
		'engine/pages/circuitBreaker',
	),
	line(
		'gives up a site for second attempts at a few pages',
		'Kuaidaili/pages/run/circuitBreaker.ts',
		'if (!isFirst) return;',
		'',
		'engine/pages/circuitBreaker',
	),
	line(
		'waits twice as long before a page is asked again',
		'Kuaidaili/pages/run/retryPlan.ts',
		'const PAUSE_FOR_SERVER_MS = 500;',
		'const PAUSE_FOR_SERVER_MS = 1000;',
		'unit/nodes/Kuaidaili/pages/run/retryPlan',
	),
	line(
		'gives up a site for its first pages alone',
		'Kuaidaili/pages/run/pageRun.ts',
		'.run(() => waiting.size > 0)',
		'.run(() => false)',
		'engine/pages/circuitBreaker',
	),
	line(
		'begins each day with the pages that failed before',
		'Kuaidaili/actions/page/open.operation.ts',
		'this.hasRecord(page, failureRecord(addressOf(page)))',
		'page === undefined',
		'engine/pages/crawl',
	),
	line(
		'sends typed headers to another site',
		'Kuaidaili/pages/http/fetchPage.ts',
		'isSameSite ? page.headers : headersOffSite(page)',
		'page.headers',
		'unit/nodes/Kuaidaili/pages/http/fetchPage',
	),
];

/** Those that do not stand in their file exactly once, with how often they do. */
export async function movedLines(): Promise<string[]> {
	const counted = BROKEN_LINES.map(async ({ file, right }) => {
		const path = join(process.cwd(), 'nodes', file);
		const text = await readFile(path, 'utf8').catch(() => '');
		const times = text.split(right).length - 1;
		return times === 1 ? [] : [`"${right}" stands ${times} times in nodes/${file}`];
	});
	return (await Promise.all(counted)).flat();
}
