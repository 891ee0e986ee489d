import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import { isList, isRecord, ownValue, toDataObject } from '../../../../shared/guards';
import { DescribedError } from '../../../../shared/errors/callErrors';
import { excerpt } from '../../../../shared/errors/cleanText';
import { formatNumber } from '../../../../shared/wording';
import type { OperationResult } from '../../../operation';
import { wordsOf, type PageResult } from '../../../pages/openPage';
import { emptyValues } from '../../../pages/content/fields';
import type { PageLink } from '../../../pages/content/links';
import type { FormattedBody, PageContent, ResponseFormat } from '../../../pages/pageContent';
import { shownUrl } from '../../../pages/verdict';
import { outputFieldField } from './fields';
import type { OpenRequest } from './openRequest';

export const DETAILS = 'pageDetails';

/** What an earlier run of this operation put there. */
function isOwnDetails(value: unknown): boolean {
	return isRecord(value) && Object.hasOwn(value, 'attempts') && Object.hasOwn(value, 'url');
}

function isEmptyList(value: unknown): boolean {
	return isList(value) && value.length === 0;
}

/**
 * Refuses an output that would take the place of something of the user's.
 *
 * @throws InvalidFieldError, DescribedError
 */
export function refuseOverwriting(
	{ json, binary = {} }: INodeExecutionData,
	{ outputField, format, fields }: OpenRequest,
): void {
	const details = ownValue(json, DETAILS);
	const isOpenedAgain = isOwnDetails(details);
	for (const { name } of fields) {
		const known = ownValue(json, name);
		// A page that failed is tried again with what it has left empty
		const isFree = known === undefined || (isOpenedAgain && (known === '' || isEmptyList(known)));
		if (isFree || name === 'url') continue;
		throw new InvalidFieldError(
			'Name',
			name,
			"The item already has a field of that name, which would be replaced. Choose another name in 'Fields'.",
		);
	}
	if (isOpenedAgain) return;
	if (details !== undefined) {
		throw new DescribedError({
			message: `The item already has a field '${DETAILS}'`,
			description:
				'This node would replace it. Rename or remove it before this node. Nothing was requested for this item.',
		});
	}
	if (format === 'fields') return;
	const taken: unknown = ownValue(format === 'file' ? binary : json, outputField);
	if (taken === undefined) return;
	throw new InvalidFieldError(
		outputFieldField.displayName,
		outputField,
		'The item already has something of that name, which the page would replace. Choose another name.',
	);
}

interface AboutPage {
	readonly title?: string;
	readonly links?: readonly PageLink[];
}

function fileForAgent({ name, type, bytes }: Extract<FormattedBody, { kind: 'file' }>): string {
	return `The page is a file, which cannot be read here: ${name}, ${type}, ${formatNumber(bytes.length)} bytes.`;
}

async function formatted(
	content: PageContent,
	format: ResponseFormat,
	{ url }: PageResult,
): Promise<FormattedBody> {
	try {
		return await content.format(format);
	} catch {
		throw notJson(content, url);
	}
}

function notJson(content: PageContent, url: string): DescribedError {
	return new DescribedError({
		message: 'The page is not JSON',
		description: `${shownUrl(url)} begins with: ${excerpt(content.text, [])}. Choose another 'Response Format', or tell by 'Retry If' which pages to try again.`,
	});
}

function notHtml(content: PageContent, url: string): DescribedError {
	const isJson = /^\s*[[{]/.test(content.text.slice(0, 1000));
	return new DescribedError({
		message: 'The page is not HTML, so nothing can be picked from it',
		description: `${shownUrl(url)} begins with: ${excerpt(content.text, [])}. ${isJson ? "Set 'Response Format' to 'JSON'" : "Choose another 'Response Format'"}.`,
	});
}

/** The columns beside the address that was asked for; all of them empty where there is no page to pick from. */
async function pickedFrom(
	{ content, error }: PageResult,
	{ fields, page, address }: OpenRequest,
): Promise<IDataObject> {
	const hasPage = error === undefined && content?.hasReadableBody === true;
	if (hasPage && content.size > 0 && !content.isHtml) throw notHtml(content, page.url);
	const values = hasPage ? await content.fields(fields) : emptyValues(fields);
	// As it was entered: what a table is updated by has to stay the same
	return toDataObject({ url: address, ...values });
}

/** Whether binary data of the user's has that name: only the page shows that it becomes a file. */
function isTaken({ json, binary = {} }: INodeExecutionData, outputField: string): boolean {
	return Object.hasOwn(binary, outputField) && !isOwnDetails(ownValue(json, DETAILS));
}

function takenByFile(outputField: string): DescribedError {
	return new DescribedError({
		message: `The item already has binary data named '${outputField}'`,
		description: `The page is a file, which would replace it. Choose another name in '${outputFieldField.displayName}'.`,
	});
}

/** What a page is wanted for. */
interface PageUse {
	readonly request: OpenRequest;
	readonly isForAgent: boolean;
}

interface Body {
	readonly json: IDataObject;
	readonly binary?: IBinaryKeyData;
}

const EMPTY = 'The page is empty.';

/** What is put beside the input; of a model, which understands text only, whatever came of the page. */
async function bodyOf(
	context: IExecuteFunctions,
	input: INodeExecutionData,
	page: PageResult,
	{ request, isForAgent }: PageUse,
): Promise<Body> {
	const { content, error } = page;
	const { outputField, format } = request;
	const picked = format === 'fields' ? await pickedFrom(page, request) : {};
	const withValue = (value: unknown): Body => ({
		json: toDataObject({ ...picked, [outputField]: value }),
	});
	if (error !== undefined && isForAgent) {
		return withValue(`The page was not opened. ${wordsOf(error).join('. ')}`);
	}
	if (format === 'fields') return { json: picked };
	// So that the next node finds what it looks for
	if (error !== undefined) return format === 'file' ? { json: {} } : withValue('');
	if (content?.hasReadableBody !== true) return isForAgent ? withValue(EMPTY) : { json: {} };
	const isPlainHtml = isForAgent && format === 'autodetect' && content.isHtml;
	const body = await formatted(content, isPlainHtml ? 'markdown' : format, page);
	if (body.kind === 'value') {
		return withValue(isForAgent && body.value === '' ? EMPTY : body.value);
	}
	if (isForAgent) return withValue(fileForAgent(body));
	if (isTaken(input, outputField)) throw takenByFile(outputField);
	const data = await context.helpers.prepareBinaryData(body.bytes, body.name, body.type);
	return { json: {}, binary: { [outputField]: data } };
}

/** What a page that was opened says of itself. */
async function aboutPage(
	{ content, error }: PageResult,
	includesLinks: boolean,
): Promise<AboutPage> {
	if (error !== undefined || content?.hasReadableBody !== true) return {};
	const title = await content.title();
	const links = includesLinks && content.isHtml ? await content.links() : [];
	return {
		...(title === '' ? {} : { title }),
		...(includesLinks && { links }),
	};
}

const ERROR_LEFT_OUT =
	"The input's field 'error' was left out, because n8n takes it for a failure of this node. Rename it before this node to keep it.";

/**
 * The input item as it came, with the page.
 *
 * @throws DescribedError for a page that is not what 'Response Format' says
 */
export async function toPageItem(
	context: IExecuteFunctions,
	input: INodeExecutionData,
	page: PageResult,
	use: PageUse,
): Promise<OperationResult> {
	const { url, statusCode, headers, attempts, sessionRestarted, outcome, error } = page;
	const { request, isForAgent } = use;
	const about = await aboutPage(page, request.includesLinks);
	const { json, binary } = await bodyOf(context, input, page, use);
	const details = {
		url,
		...about,
		...(statusCode === undefined ? {} : { statusCode }),
		...(headers === undefined || isForAgent ? {} : { headers }),
		...(attempts.length === 0 ? {} : { proxy: attempts.at(-1)?.proxy }),
		attempts,
		...(sessionRestarted === undefined ? {} : { sessionRestarted }),
		...(error === undefined ? {} : { outcome, error: wordsOf(error).join('. ') }),
	};
	const { outputField, isOneOfSeveral, address } = request;
	// A page that was opened before must not stand for one that brought nothing
	const isOpenedAgain = isOwnDetails(ownValue(input.json, DETAILS));
	const isKept = ([name]: [string, unknown]) => !isOpenedAgain || name !== outputField;
	// n8n takes an item with that field for a failure of this node
	const kept = Object.entries(input.json).filter((each) => isKept(each) && each[0] !== 'error');
	const keptBinary = Object.fromEntries(Object.entries(input.binary ?? {}).filter(isKept));
	const binaries = { ...keptBinary, ...binary };
	return {
		records: [
			{
				...Object.fromEntries(kept),
				...(isOneOfSeveral ? { url: address } : {}),
				...json,
				[DETAILS]: toDataObject(details),
			},
		],
		...(Object.keys(binaries).length === 0 ? {} : { binary: binaries }),
		...(Object.hasOwn(input.json, 'error') ? { hint: ERROR_LEFT_OUT } : {}),
	};
}
