import { toCollection, toProperty } from '../../../shared/fields/field';
import { ordersOf } from '../../../shared/orders/orderField';
import type { RunOperation } from '../../operation';
import { optionsCollection } from '../../parameters/callOptions';
import { productField } from '../../proxies/products';
import { sourceOptions, sourceProperties } from '../../proxies/sourceFields';
import { crawlPages } from './crawl/crawl';
import {
	crawlFields,
	followCollection,
	GIVEN,
	respectRobotsField,
	startUrlField,
} from './crawl/crawlRequest';
import { PAGE_OPTIONS, pageProperties, retryIfCollection } from './open/fields';

export const pageCrawl: RunOperation = {
	option: {
		name: 'Crawl',
		value: 'crawl',
		action: 'Crawl pages through proxies',
		description:
			'Open a page and the pages that it links to, or those of a sitemap, each through a proxy',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: [
		...sourceProperties,
		...[startUrlField, ...crawlFields].map(toProperty),
		toCollection(followCollection),
		...pageProperties.filter(({ name }) => !GIVEN.has(name)),
		toCollection(retryIfCollection),
		optionsCollection([...sourceOptions, ...PAGE_OPTIONS, respectRobotsField]),
	],
	executeAll: crawlPages,
};
