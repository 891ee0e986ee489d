import type { FastifyInstance } from 'fastify';
import { PAGE_ANSWERS, type PageFault } from '../pages/pageFaults.mts';
import type { Pages } from '../pages/pages.mts';
import { MalformedInput, toFields } from './input.mts';

/** Who came to the pages, and who is kept out. */
export function addPageControls(app: FastifyInstance, pages: Pages): void {
	const { visits, faults } = pages;

	app.get('/pages', () => pages.open());

	app.get('/visits', () => visits.entries());

	app.delete('/visits', (_request, reply) => {
		visits.clear();
		reply.code(204).send();
	});

	app.get('/page-faults', () => faults.list());

	app.post('/page-faults', ({ body }) => {
		faults.add(readPageFault(body));
		return faults.list();
	});

	app.delete('/page-faults', (_request, reply) => {
		faults.clear();
		reply.code(204).send();
	});
}

function readPageFault(value: unknown): PageFault {
	const fields = toFields(value);
	const status = fields.optionalNumber('status');
	const answer = fields.optionalChoice('answer', PAGE_ANSWERS);
	const target = {
		exit: fields.optionalText('exit'),
		proxy: fields.optionalText('proxy'),
		host: fields.optionalText('host'),
		path: fields.optionalText('path'),
		times: fields.optionalNumber('times'),
	};
	fields.nothingElse();
	if (answer !== undefined && status === undefined) return { ...target, answer };
	if (status !== undefined && answer === undefined) return { ...target, status };
	throw new MalformedInput('A page fault has either a "status" or an "answer"');
}
