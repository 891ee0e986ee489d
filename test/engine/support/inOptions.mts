import type { IDataObject } from 'n8n-workflow';

/** Puts these fields into 'Options', where the editor has them. */
function moved(names: ReadonlySet<string>, { options = {}, ...fields }: IDataObject): IDataObject {
	const entries = Object.entries(fields);
	const inside = entries.filter(([name]) => names.has(name));
	const others = Object.fromEntries(entries.filter(([name]) => !names.has(name)));
	if (typeof options !== 'object') return { ...others, options };
	return { ...others, options: { ...Object.fromEntries(inside), ...options } };
}

/** Options that say which proxies come. */
const OF_PROXIES = [
	...['filters', 'minimumSecondsLeft', 'reuse', 'sessionMinutes', 'region', 'area', 'continent'],
	...['suffix', 'pt'],
];

const OF_PAGES = new Set([
	...OF_PROXIES,
	...['request', 'headers', 'pagesPerProxy', 'sessionKey', 'outputField'],
	...['maxAttempts', 'retryIf', 'maxDepth', 'maxPages'],
]);

const OF_EXTRACT = new Set([...OF_PROXIES, 'extraFields', 'login', 'session', 'sessionPerItem']);

/** Parameters of Page: Open or Page: Crawl, with all fields where the editor has them. */
export function pageParameters({ method, bodyType, body, ...fields }: IDataObject): IDataObject {
	const row = Object.entries({ method, bodyType, body }).filter(([, value]) => value !== undefined);
	const request = row.length === 0 ? {} : { request: { values: Object.fromEntries(row) } };
	return moved(OF_PAGES, { ...fields, ...request });
}

/** Parameters of Proxy: Extract, with all fields where the editor has them. */
export function extractParameters(fields: IDataObject): IDataObject {
	return moved(OF_EXTRACT, fields);
}
