// @ts-check
/**
 * Loads what would be published, as n8n does, under the Node.js that runs this program: every class
 * that the package registers exists under its file's name, and its icons are there.
 */
import { existsSync, readFileSync } from 'node:fs';
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
	console.log(`The package loads under Node.js ${process.version}.`);
});
