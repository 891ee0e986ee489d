import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import { eventLoopYielder } from '../../../shared/api/wait';
import { InvalidFieldError, shortLine } from '../../../shared/fields/field';
import { detached, detachedParts } from '../content/detached';
import { isList, ownValue, toDataObject } from '../../../shared/guards';
import { DescribedError, wordsOf } from '../../../shared/api/errors';
import { excerpt } from '../../../shared/api/cleanText';
import { formatNumber, sentences } from '../../../shared/wording';
import { isTool } from '../../run/nodeRun';
import type { OperationResult } from '../../run/operation';
import { type PageResult } from '../run/pageResult';
import { languageOfPage } from '../content/html';
import { numbersOfColumn } from '../content/numbers';
import { emptyValues, linksOf, pickFields } from '../content/pickedFields';
import { readJsonRows, readMarkupRows } from '../content/rows';
import { structuredRowsOf } from '../content/structuredData';
import type { Row } from '../content/tableRows';
import type { PageContent } from '../content/pageContent';
import { NO_SUCH_PAGE, type AttemptResult } from '../run/classifyAttempt';
import { shownUrl } from '../run/pageFailure';
import { isPageStatus, pageStatusOf } from './pageStatus';
import { outputFieldField, RESERVED_NAMES } from '../request/pageFields';
import type { PageRequest } from '../request/pageRequest';

/** Position of a page in the output. */
export interface OutputSlot {
	/** Index of the input item. */
	readonly index: number;
	/** Number of the address within the item, by which its pages come out; 0 if not given. */
	readonly group?: number;
}

/** A page with what it is put into. */
export interface OutputPage extends OutputSlot {
	readonly request: PageRequest;
	/** Item that the page is put into. */
	readonly input: INodeExecutionData;
	/** Whether a crawl has found it by a link: of those, there may always be some that fail. False by default. */
	readonly isLinked?: boolean;
}

/** Fields that say how a page was opened; never those of the input. */
const OWN_FIELDS = ['pageDetails', 'pageLinks', 'pageStatus'] as const;

/** Whether the item has the page of an earlier run of this operation. */
function hasPage({ json }: INodeExecutionData): boolean {
	return typeof json.url === 'string' && isPageStatus(ownValue(json, 'pageStatus'));
}

/**
 * Refuses an output that would take the place of something of the user's.
 *
 * @throws InvalidFieldError, DescribedError
 */
export function refuseOverwriting(
	input: INodeExecutionData,
	{ outputField, format, fields }: PageRequest,
): void {
	const { json, binary } = input;
	const isOpenedAgain = hasPage(input);
	for (const { name } of fields) {
		const present = ownValue(json, name);
		// A page that failed is tried again with what it lacks
		const isLacking = present === null || (isList(present) && present.length === 0);
		if (name === 'url' || present === undefined || (isOpenedAgain && isLacking)) continue;
		throw new InvalidFieldError(
			'Name',
			name,
			"The item already has a field of that name, which would be replaced. Choose another name in 'Fields'.",
		);
	}
	if (isOpenedAgain) return;
	const taken = OWN_FIELDS.find((name) => ownValue(json, name) !== undefined);
	if (taken !== undefined) {
		throw new DescribedError({
			message: `The item already has a field '${taken}'`,
			description:
				'This node would replace it. Rename or remove it before this node. Nothing was requested for this item.',
		});
	}
	const isTaken = ownValue(format === 'file' ? binary : json, outputField) !== undefined;
	if (format === 'fields' || format === 'structuredData' || !isTaken) return;
	throw new InvalidFieldError(
		outputFieldField.displayName,
		outputField,
		'The item already has something of that name, which the page would replace. Choose another name.',
	);
}

/**
 * Error for a page that is not what was asked for, with its beginning.
 *
 * @param advice what else to do with the page, without a period
 */
function unexpected(message: string, content: PageContent, url: string, advice: string) {
	const beginning = excerpt(content.text, []);
	const what = beginning === '' ? 'is empty' : `begins with: ${beginning}`;
	const description = detached(`${shownUrl(url)} ${what}. ${advice}.`);
	return new DescribedError({ message, description });
}

/** Text in JSON is written for programs. */
const LANGUAGE_OF_JSON = 'en';

/**
 * The rows with numbers in the columns that want them.
 *
 * @returns the rows, and the names of columns in which numbers can be read in two ways
 */
async function withNumbers(
	rows: readonly Row[],
	content: PageContent,
	fields: PageRequest['fields'],
): Promise<{ readonly rows: Row[]; readonly ambiguous: readonly string[] }> {
	const wanted = fields.filter(({ take }) => take === 'number').map(({ name }) => name);
	if (wanted.length === 0 || rows.length === 0) return { rows: [...rows], ambiguous: [] };
	const language = content.isMarkup ? languageOfPage(await content.html) : LANGUAGE_OF_JSON;
	const pause = eventLoopYielder();
	const byName = rows.map((row) => new Map(row));
	const ambiguous: string[] = [];
	for (const name of wanted) {
		const column = byName.map((row) => row.get(name));
		const { values, isAmbiguous } = await numbersOfColumn(column, language, pause);
		for (const [index, value] of values.entries()) byName[index].set(name, value);
		if (isAmbiguous) ambiguous.push(name);
	}
	return { rows: byName.map((row) => [...row]), ambiguous };
}

/** The columns, without values where there is no page to pick from. */
async function pickedFrom({ content, error, url }: PageResult, { fields }: PageRequest) {
	const hasPage = error === undefined && content?.hasReadableBody === true;
	if (!hasPage) return { picked: emptyValues(fields), ambiguous: [] };
	if (content.isMarkup || content.answer.body.length === 0) {
		const texts = Object.entries(await pickFields(await content.html, fields));
		const { rows, ambiguous } = await withNumbers([texts], content, fields);
		return { picked: Object.fromEntries(rows[0]), ambiguous };
	}
	const message = 'The page is not HTML, so nothing can be picked from it';
	const isJson = /^\s*[[{]/.test(content.text.slice(0, 1000));
	const advice = isJson ? "Set 'Response Format' to 'JSON'" : "Choose another 'Response Format'";
	throw unexpected(message, content, url, advice);
}

/**
 * The rows of a page.
 *
 * @param taken names that columns get which nobody typed do not get
 */
async function rowsOfPage(
	content: PageContent,
	url: string,
	rowSelector: string,
	{ fields, isSimplified }: PageRequest,
	taken: ReadonlySet<string>,
): Promise<Row[]> {
	const pause = eventLoopYielder();
	if (content.isMarkup || content.answer.body.length === 0) {
		const page = await content.html;
		return await readMarkupRows(page, rowSelector, fields, taken, pause).catch((error: unknown) => {
			if (error instanceof DescribedError) throw error;
			const message = "A selector of 'Fields' can't be read, and the page is not JSON";
			throw unexpected(message, content, url, 'Enter CSS selectors');
		});
	}
	const json = await content.format('json').catch((): never => {
		const advice = "Choose another 'Response Format'";
		throw unexpected('The page has no rows: it is not HTML, XML, or JSON', content, url, advice);
	});
	return await readJsonRows(json.value, rowSelector, fields, taken, isSimplified, pause);
}

/** A model can ask again or for another page, and changes no settings. */
function notOpenedInWords(
	error: Error,
	{ method }: PageRequest,
	{ attempts, statusCode }: PageResult,
): string {
	const [message, ...advice] = wordsOf(error);
	const isMissing = NO_SUCH_PAGE.has(statusCode);
	const instead = isMissing
		? 'Do not ask for it again.'
		: 'Asking again right away rarely helps: use another page, or say that this one cannot be read.';
	// What became of a POST is told in whole
	const next = attempts.length === 0 || method === 'POST' ? advice : [instead];
	return [`The page was not opened. ${message}`, ...next].join('. ');
}

/**
 * The content of a page as it stands beside the fields of the input. For a model, which understands text only, it is text,
 * whatever came of the page.
 */
async function bodyOf(
	context: IExecuteFunctions,
	{ input, request }: OutputPage,
	page: PageResult,
): Promise<{
	readonly json: Readonly<Record<string, unknown>>;
	readonly binary?: IBinaryKeyData;
	/** Columns in which numbers can be read in two ways. */
	readonly ambiguous?: readonly string[];
	/** Share of the page's text that stays, where only its main content is wanted. */
	readonly mainContent?: number;
}> {
	const { content, error, url } = page;
	const { outputField, format, leaveOut, mainContentOnly } = request;
	const isForAgent = isTool(context);
	const fromPage = format === 'fields' ? await pickedFrom(page, request) : undefined;
	const picked = detachedParts(fromPage?.picked ?? {});
	const withText = (text: string) => ({ json: { ...picked, [outputField]: text } });
	if (error !== undefined && isForAgent) return withText(notOpenedInWords(error, request, page));
	if (format === 'fields' || format === 'structuredData') {
		return { json: picked, ambiguous: fromPage?.ambiguous };
	}
	// So that the next node finds what it looks for
	if (error !== undefined) return format === 'file' ? { json: {} } : withText('');
	const nothing = isForAgent ? withText('The page is empty.') : { json: {} };
	if (content?.hasReadableBody !== true) return nothing;
	const isPlainHtml = isForAgent && format === 'autodetect' && content.isMarkup;
	const chosen = isPlainHtml ? 'markdown' : format;
	const formatted = content.format(chosen, leaveOut, mainContentOnly);
	const body = await formatted.catch((failure: unknown): never => {
		if (failure instanceof DescribedError) throw failure;
		const advice =
			"Choose another 'Response Format', or tell by 'Retry If' which pages to try again";
		throw unexpected('The page is not JSON', content, url, advice);
	});
	if (body.file === undefined) {
		if (isForAgent && body.value === '') return nothing;
		return { json: { [outputField]: body.value }, mainContent: body.share };
	}
	const { bytes, name, type } = body.file;
	if (isForAgent) {
		return withText(
			`The page is a file, which cannot be read here: ${name}, ${type}, ${formatNumber(bytes.length)} bytes.`,
		);
	}
	// Only the page shows that it becomes a file
	if (Object.hasOwn(input.binary ?? {}, outputField) && !hasPage(input)) {
		throw new DescribedError({
			message: `The item already has binary data named '${outputField}'`,
			description: `The page is a file, which would replace it. Choose another name in '${outputFieldField.displayName}'.`,
		});
	}
	const data = await context.helpers.prepareBinaryData(bytes, name, type);
	return { json: {}, binary: { [outputField]: data } };
}

function shownAttempt({ proxy, outcome, statusCode, milliseconds }: AttemptResult) {
	return { proxy, outcome, statusCode, milliseconds };
}

/** Outcome of a page for the output: the last attempt's, unless what came was not what the fields ask for. */
function outcomeOf({ outcome, error }: PageResult): string | undefined {
	return outcome === 'opened' && error !== undefined ? 'notAsWanted' : outcome;
}

function readable({ content, error }: PageResult): PageContent | undefined {
	return error === undefined && content?.hasReadableBody === true ? content : undefined;
}

/** Texts that a table takes as they are. Without *Simplify*, everything that is known of the page stands beside them. */
async function detailsOf(
	page: PageResult,
	request: PageRequest,
	mainContent: number | undefined,
): Promise<Partial<Record<(typeof OWN_FIELDS)[number], unknown>>> {
	const { includesLinks, isSimplified } = request;
	const content = readable(page);
	const links = includesLinks && content?.isHtml === true ? await linksOf(await content.html) : [];
	return {
		pageStatus: pageStatusOf(page, request),
		// One per line, as 'URL' takes them
		...(includesLinks && { pageLinks: links.map(({ url }) => url).join('\n') }),
		...(!isSimplified && {
			pageDetails: await fullDetailsOf(page, includesLinks ? links : undefined, mainContent),
		}),
	};
}

async function fullDetailsOf(
	page: PageResult,
	links: Awaited<ReturnType<typeof linksOf>> | undefined,
	mainContent: number | undefined,
) {
	const { url, content, statusCode, attempts, sessionRestarted, error } = page;
	const details = {
		url,
		title: (await readable(page)?.title()) || undefined,
		mainContent: mainContent === undefined ? undefined : Number(mainContent.toFixed(2)),
		links: readable(page) && links,
		statusCode,
		headers: content?.answer.headers,
		proxy: attempts.at(-1)?.proxy,
		attempts: attempts.map(shownAttempt),
		sessionRestarted,
		outcome: outcomeOf(page) ?? 'notTried',
		blockedBy: attempts.at(-1)?.blockedBy,
		error: error && wordsOf(error).join('. '),
	};
	return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}

/** Details that n8n puts out beside the error of a page that fails its item. */
export function errorDetailsOf({ request }: OutputPage, page: PageResult): IDataObject {
	const { statusCode } = page;
	return {
		url: request.address,
		...(statusCode !== undefined && { statusCode }),
		outcome: outcomeOf(page) ?? 'notTried',
	};
}

/** Names that no column gets which the page names itself. */
const NAMES_OF_ROWS: ReadonlySet<string> = new Set([
	...OWN_FIELDS,
	...RESERVED_NAMES,
	'row',
	'url',
]);

const ERROR_LEFT_OUT =
	"The input's field 'error' was left out, because n8n takes it for a failure of this node. Rename it before this node to keep it.";

/** Whether a format needs a page with text, which a picture or a PDF has not. */
const NEEDS_TEXT: Readonly<Record<PageRequest['format'], boolean>> = {
	autodetect: false,
	fields: true,
	file: false,
	json: false,
	markdown: true,
	structuredData: true,
	text: true,
};

/** Refuses a file that was to come out as text. Throws DescribedError. */
function refuseFile(page: PageResult, { format }: PageRequest): void {
	const type = NEEDS_TEXT[format] ? readable(page)?.fileType : undefined;
	if (type === undefined) return;
	throw new DescribedError({
		message: `The page is a file of type ${shortLine(type)}, which has no text`,
		description: "Set 'Response Format' to 'File' to get it.",
	});
}

/** The fields of the input that columns of the page replace, as a sentence; empty for none. */
function replacedInWords(json: IDataObject, rows: readonly Row[]): string {
	const names = new Set(rows.flatMap((row) => row.map(([name]) => name)));
	const replaced = Object.keys(json).filter((name) => names.has(name));
	if (replaced.length === 0) return '';
	return `The page has ${replaced.map((name) => `'${name}'`).join(', ')} as well, which replaced those of the input.`;
}

/**
 * The input item as it came, with the page.
 *
 * @throws DescribedError for a page that is not what 'Response Format' says
 */
export async function toPageItem(
	context: IExecuteFunctions,
	slot: OutputPage,
	page: PageResult,
): Promise<OperationResult> {
	const { input, request } = slot;
	refuseFile(page, request);
	const { content, error } = page;
	const { fields, rowSelector, address, format } = request;
	const taken = new Set([...Object.keys(input.json), ...NAMES_OF_ROWS]);
	let rows: Row[] | undefined;
	let ambiguousInRows: readonly string[] | undefined;
	if (error === undefined && (rowSelector !== undefined || format === 'structuredData')) {
		rows = [];
		if (content?.hasReadableBody === true) {
			const found =
				format === 'structuredData'
					? await structuredRowsOf(
							await content.html,
							rowSelector ?? '',
							NAMES_OF_ROWS,
							eventLoopYielder(),
						)
					: await rowsOfPage(content, page.url, rowSelector ?? '', request, taken);
			({ rows, ambiguous: ambiguousInRows } = await withNumbers(found, content, fields));
		}
	}
	const {
		json,
		binary,
		mainContent,
		ambiguous = ambiguousInRows ?? [],
	} = rows === undefined ? await bodyOf(context, slot, page) : { json: {} };
	const details = detachedParts(await detailsOf(page, request, mainContent));
	// A page that was opened before must not stand for one that brought nothing
	const replaced = new Set<string>(hasPage(input) ? [...OWN_FIELDS, request.outputField] : []);
	const isKept = ([name]: [string, unknown]) => !replaced.has(name);
	// n8n takes an item with that field for a failure of this node
	const kept = Object.entries(input.json).filter((each) => isKept(each) && each[0] !== 'error');
	const keptBinary = Object.entries(input.binary ?? {}).filter(isKept);
	const binaries = { ...Object.fromEntries(keptBinary), ...binary };
	// As it was entered: a table's row is found by it
	const recordOf = (values: Readonly<Record<string, unknown>>) =>
		toDataObject({ ...Object.fromEntries(kept), ...values, ...details });
	const records: IDataObject[] = [];
	const pause = eventLoopYielder();
	for (const [index, row] of rows?.entries() ?? []) {
		const values = detachedParts(Object.fromEntries(row));
		const { url = address, row: number = index + 1 } = values;
		records.push(recordOf({ ...values, url, row: number }));
		await pause();
	}
	return {
		records: rows === undefined ? [recordOf({ url: address, ...json })] : records,
		binary: Object.keys(binaries).length === 0 ? undefined : binaries,
		hint:
			sentences(
				Object.hasOwn(input.json, 'error') ? ERROR_LEFT_OUT : undefined,
				format === 'structuredData' ? replacedInWords(input.json, rows ?? []) : undefined,
				...ambiguous.map(
					(name) =>
						`'${name}' has numbers such as 1.299 or 1,299, which can be read in two ways. They were read as one thousand and more, because neither the page nor other rows say otherwise.`,
				),
			) || undefined,
	};
}
