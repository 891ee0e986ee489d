import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, readList, readString } from '../../../harness/outsideData.mts';
import type { RestClient } from '../../../harness/realN8n/index.mts';
import type { E2eSession } from '../session.mts';

const PACKAGE = 'n8n-nodes-kuaidaili';
const TOOL = 'kuaidailiTool';

const NODES = [
	{ name: 'kuaidaili', displayName: 'Kuaidaili' },
	{ name: TOOL, displayName: 'Kuaidaili Tool' },
	{ name: 'kuaidailiTrigger', displayName: 'Kuaidaili Trigger' },
];

/** What n8n makes of the package. */
export const installedPackage: CheckGroup<E2eSession> = {
	name: 'Installed package',
	async run({ n8n }, check) {
		const nodeTypes = await n8n.nodeTypes();
		for (const { name, displayName } of NODES) {
			await check(`n8n offers the node ${displayName}, with its icons`, async () => {
				const type = findNamed(nodeTypes, `${PACKAGE}.${name}`);
				expectEqual(at(type, 'displayName'), displayName, 'the name in the editor');
				await expectIcons(n8n, type);
			});
		}
		await check('n8n offers the credential, with its icons', async () => {
			const type = findNamed(await n8n.credentialTypes(), 'kuaidailiApi');
			expectEqual(at(type, 'displayName'), 'Kuaidaili API', 'the name in the editor');
			await expectIcons(n8n, type);
			const users = readList(type, 'supportedNodes');
			for (const { name } of NODES.filter((node) => node.name !== TOOL)) {
				expect(users.includes(`${PACKAGE}.${name}`), `${name} is not said to use it`);
			}
		});
		await check('The HTTP Request node lists the credential', async () => {
			const type = findNamed(await n8n.credentialTypes(), 'kuaidailiApi');
			// The editor lists every type that is served with this field.
			expect(at(type, 'authenticate') !== undefined, "it is served without 'authenticate'");
		});
	},
};

function findNamed(types: readonly unknown[], name: string): unknown {
	const found = types.find((type) => at(type, 'name') === name);
	expect(found !== undefined, `${name} is missing`);
	return found;
}

async function expectIcons(n8n: RestClient, type: unknown): Promise<void> {
	const icons = await Promise.all(
		['light', 'dark'].map(async (theme) => await n8n.file(readString(type, 'iconUrl', theme))),
	);
	for (const { contentType, content } of icons) {
		expect(contentType.startsWith('image/svg+xml'), `an icon is served as ${contentType}`);
		expect(content.includes('<svg'), 'an icon is no SVG');
	}
	expect(icons[0]?.content !== icons[1]?.content, 'the icon is the same in light and dark');
}
