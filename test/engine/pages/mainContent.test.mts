import { toolCalls } from '../support/toolCalls.mts';
import { detailsOf, usePages } from './pageOpener.mts';

const { bed, me } = usePages();

const AROUND = /Articles|Printed on recycled paper/;

async function dataOf(responseFormat: string, options: Record<string, string | boolean>) {
	const { items } = await me.open([me.page('/article')], { responseFormat, options });
	return { data: String(items[0].json.data), details: detailsOf(items[0]) };
}

it.each(['markdown', 'text'])('leaves out what surrounds it (%s)', async (format) => {
	const { data, details } = await dataOf(format, { mainContent: true });
	expect(data).toContain('The harbor of the small town');
	expect(data).toContain('8:30');
	expect(data).not.toMatch(AROUND);
	expect(details).toHaveProperty('mainContent', expect.closeTo(0.95, 1));
});

it.each(['markdown', 'text'])('is off where nobody says it (%s)', async (format) => {
	const { data, details } = await dataOf(format, {});
	expect(data).toMatch(AROUND);
	expect(details).not.toHaveProperty('mainContent');
});

it.each(['markdown', 'text'])('leaves out what selectors pick (%s)', async (format) => {
	const { data, details } = await dataOf(format, { leaveOut: 'main > table\n\nnav, main p' });
	expect(data).not.toMatch(/Articles|8:30|harbor of the small town/);
	expect(data).toMatch(/Bread/);
	expect(data).toMatch(/Printed on recycled paper/);
	expect(details).not.toHaveProperty('mainContent');
	// Links are of the whole page
	const linked = await dataOf(format, { leaveOut: 'nav', includeLinks: true });
	expect(linked.details.links).toHaveLength(2);
});

it('is what an agent gets, unless it is turned off', async () => {
	const outputs: string[] = [];
	for (const options of [{}, { mainContent: false }]) {
		await bed().engine.run({
			credentialId: me.credentialId,
			parameters: {
				...{ resource: 'page', operation: 'open', product: 'DPS', options },
				url: me.page('/article'),
			},
			agent: toolCalls(1, outputs, 'oneByOne'),
		});
	}
	expect(outputs[0]).toContain('The harbor of the small town');
	expect(outputs[0]).not.toMatch(AROUND);
	expect(outputs[1]).toMatch(AROUND);
});
