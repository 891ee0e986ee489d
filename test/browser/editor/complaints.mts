import type { Page } from 'playwright-core';

/** Written for every answer that is no success; those are looked at one by one. */
const UNSUCCESSFUL_ANSWER = 'Failed to load resource';
/** The editor looks for a sample of the output of every node; community nodes may come without. */
const SAMPLE_OF_OUTPUT = '/schemas/';

/** Collects what the page says about errors, from now on. */
export function collectComplaints(page: Page): readonly string[] {
	const complaints: string[] = [];
	page.on('pageerror', ({ message }) => complaints.push(message));
	page.on('console', (message) => {
		const text = message.text();
		if (message.type() === 'error' && !text.startsWith(UNSUCCESSFUL_ANSWER)) complaints.push(text);
	});
	page.on('response', (answer) => {
		const { pathname } = new URL(answer.url());
		if (answer.status() < 400 || !pathname.includes('kuaidaili')) return;
		if (!pathname.startsWith(SAMPLE_OF_OUTPUT)) complaints.push(`${answer.status()} ${pathname}`);
	});
	return complaints;
}
