import { FieldReader } from '../../../../shared/fields/field';
import type { Item } from '../../../operation';
import { OPTIONS_LABEL } from '../../../parameters/callOptions';
import type { CrawlLimits } from '../../../pages/crawl/frontier';
import {
	linesOf,
	readOpenRequests,
	refuseUnfilledUrl,
	type OpenRequest,
} from '../open/openRequest';
import { refuseOverwriting } from '../open/pageOutput';
import { crawlFields, followCollection, respectRobotsField } from './fields';

/** What an item wants of a crawl, besides the proxies for it. */
export interface CrawlRequest {
	/** Where it starts, and what is wanted of the pages. */
	readonly starts: readonly OpenRequest[];
	readonly startsFromSitemap: boolean;
	readonly limits: CrawlLimits;
	/** Of the links to follow, or of what holds them; undefined for all. */
	readonly selector?: string;
	readonly respectsRobots: boolean;
}

/** What Open asks for, and a crawl does not. */
const GIVEN: ReadonlyMap<string, unknown> = new Map([
	['method', 'GET'],
	['outputField', 'data'],
]);

/** @throws InvalidFieldError */
export function readCrawlRequest(item: Item): CrawlRequest {
	const valueOf = (name: string) => GIVEN.get(name) ?? item.parameter(name);
	const { options } = item.callOptions();
	refuseUnfilledUrl(item);
	const starts = readOpenRequests(valueOf, options);
	refuseOverwriting({ json: { depth: 0, foundOn: '' } }, starts[0]);
	const reader = new FieldReader()
		.read(crawlFields, valueOf)
		.readCollection(followCollection, valueOf(followCollection.name))
		.readCollection({ displayName: OPTIONS_LABEL, fields: [respectRobotsField] }, options);
	const text = (name: string) => reader.text(name);
	return {
		starts,
		startsFromSitemap: text('startFrom') === 'sitemap',
		limits: {
			maxDepth: Number(text('maxDepth')),
			maxPages: Number(text('maxPages')),
			links: linesOf(text('links')),
			except: linesOf(text('except')),
			sameSite: text('sameSite') !== '0',
		},
		selector: text('selector'),
		respectsRobots: text('respectRobots') !== '0',
	};
}
