// @ts-check
/**
 * Loads what would be published, as n8n does, under the Node.js that runs this program: every class
 * that the package registers exists under its file's name, and its icons are there. So are the license
 * notices of everything that was bundled.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { inTemporaryFolder, unpackInto } from './packedPackage.mjs';

await inTemporaryFolder('smoke', async (folder) => {
	const packed = unpackInto(folder);
	const { n8n } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
	const require = createRequire(join(packed, 'package.json'));
	for (const file of [...n8n.nodes, ...n8n.credentials]) {
		const className = basename(file).split('.')[0];
		const { [className]: Registered } = require(join(packed, file));
		if (typeof Registered !== 'function') throw new Error(`${file} does not export ${className}.`);
		const registered = new Registered();
		const { icon } = registered.description ?? registered;
		for (const theme of ['light', 'dark']) {
			const path = join(packed, dirname(file), icon[theme].replace(/^file:/, ''));
			if (!existsSync(path)) throw new Error(`The ${theme} icon of ${className} is missing.`);
		}
		console.log(`loaded: ${className}`);
	}
	const shared = join(packed, 'dist/nodes/shared');
	const code = readdirSync(shared).map((file) => readFileSync(join(shared, file), 'utf8'));
	// The bundler names the file that each part comes from
	const parts = code.join('\n').matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm);
	const bundled = new Set([...parts].map(([, name]) => name));
	if (!bundled.has('fast-xml-parser')) throw new Error('No bundled package was found.');
	const notices = readFileSync(join(packed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
	for (const name of bundled) {
		if (!notices.includes(`\n${name} `))
			throw new Error(`The license notice of ${name} is missing.`);
	}
	console.log(`The notices of ${bundled.size} bundled packages are there.`);
	console.log(`The package loads under Node.js ${process.version}.`);
});
