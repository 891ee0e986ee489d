import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { HOSTILE_PAGES, repeated } from '../../../harness/hostilePages/pages.mts';
import { at, excerpt, readList, readString } from '../../../harness/outsideData.mts';
import { onShutdown } from '../../../scripts/shutdown.mjs';
import { expectCount, lane, several, type OpenLane } from '../lane.mts';

/** Of each page: all lanes share the machine. */
const MOST_CHARACTERS = 300_000;

const PAGES_PER_RUN = 4;

/** So that the others have most of the processor. */
const PAUSE_MS = 5000;

const COOKIES = 100;

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

function typeOf(text: string): string {
	if (/^\s*[[{]/.test(text)) return 'application/json';
	return text.startsWith('<item') || text.startsWith('<desc') ? 'text/xml' : 'text/html';
}

/** Answers that hurt by how they come, rather than by what they hold. */
const ANSWERS: readonly Answer[] = [
	// Each byte by itself
	(response) => {
		response.socket?.end(
			`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n${repeated('1\r\na\r\n', 6 * MOST_CHARACTERS)}0\r\n\r\n`,
		);
	},
	(response) => {
		const cookies = several(COOKIES, (index) => `c${index}=${'x'.repeat(40)}; Path=/`);
		response.setHeader('set-cookie', cookies).end('<p>Cookies');
	},
	(response, { url = '' }) => {
		if (url.length > 20) response.end('<p>At last');
		else response.writeHead(302, { location: `${url}/on` }).end();
	},
	// It goes on to itself for ever
	(response, { url = '' }) =>
		void response.end(`<meta http-equiv=refresh content="0; url=${url}"><p>Here`),
	(response) =>
		void response.setHeader('content-disposition', `inline; ${'a="'.repeat(2000)}`).end('a'),
];

/** A site of which each path is a hostile page by its number. */
async function openSite() {
	const pages = HOSTILE_PAGES.map(({ text }): Answer => {
		const content = text().slice(0, MOST_CHARACTERS);
		return (response) => void response.setHeader('content-type', typeOf(content)).end(content);
	});
	const answers = [...pages, ...ANSWERS];
	const server = createServer((request, response) => {
		const number = Number(/^\/(\d+)/.exec(request.url ?? '')?.[1]);
		response.setHeader('content-type', 'text/html');
		answers[number % answers.length](response, request);
	}).listen(0, '127.0.0.1');
	onShutdown(() => Promise.resolve(void server.close()));
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}/`, count: answers.length };
}

/** Pages that were made to hurt, one after the other by chance, for as long as the others work. */
const hostile: OpenLane = async (session) => {
	const { url, count } = await openSite();
	const tried = new Set<string>();
	const open = lane({
		name: 'Page: Open, pages that were made to hurt',
		nodes: [
			[
				'dpsHostile',
				{
					resource: 'page',
					operation: 'open',
					product: 'DPS',
					url: `={{ '${url}' + Math.floor(Math.random() * ${count}) + '#' + $itemIndex }}`,
					responseFormat: 'markdown',
					options: {
						filters: { dedup: true },
						attemptTimeout: 30,
						includeLinks: true,
						mainContent: true,
						simplify: false,
					},
				},
			],
		],
		items: several(PAGES_PER_RUN, () => ({})),
		pauseMs: PAUSE_MS,
		quotaOf: 'dpsHostile',
		mostSpareShare: 0.1,
		rest(output) {
			const before = tried.size;
			for (const record of output) {
				if (at(record, 'pageDetails', 'statusCode') !== 200) {
					throw new Error(`a page was not opened: ${excerpt(record)}`);
				}
				for (const attempt of readList(record.pageDetails, 'attempts')) {
					tried.add(readString(attempt, 'proxy'));
				}
			}
			return { items: expectCount(output, PAGES_PER_RUN), extracted: tried.size - before };
		},
	});
	return await open(session);
};

export const HOSTILE_LANES: readonly OpenLane[] = [hostile];
