// @ts-check
/** The license notices of what is bundled: MIT asks for them in every copy. */
const fs = require('node:fs/promises');
const path = require('node:path');

/** `node_modules/@scope/name/src/x.js` → `@scope/name` */
const PACKAGE_OF_INPUT = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//;

const LICENSE_FILE = /^(licen[cs]e|copying)(\.|$)/i;

// For packages that declare MIT in their manifest and ship no license file
/** @param {string} author */
const MIT = (author) => `MIT License

Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/**
 * @param {string} root
 * @param {string} name
 * @returns {Promise<string>} the notice of one package
 */
async function noticeOf(root, name) {
	const folder = path.join(root, 'node_modules', name);
	const manifest = JSON.parse(await fs.readFile(path.join(folder, 'package.json'), 'utf8'));
	const file = (await fs.readdir(folder)).find((entry) => LICENSE_FILE.test(entry));
	const author = typeof manifest.author === 'string' ? manifest.author : manifest.author?.name;
	if (!file && !(manifest.license === 'MIT' && author)) {
		throw new Error(`${name} is bundled, but nothing says under which license.`);
	}
	const text = file ? await fs.readFile(path.join(folder, file), 'utf8') : MIT(author);
	return `${name} ${manifest.version} (${manifest.license})\n\n${text.trim()}\n`;
}

/**
 * @param {string} root
 * @param {readonly string[]} inputs the files that were bundled, as esbuild's metafile names them
 * @returns {Promise<string>}
 */
async function bundledLicenses(root, inputs) {
	const names = new Set(inputs.flatMap((input) => PACKAGE_OF_INPUT.exec(input)?.[1] ?? []));
	const notices = await Promise.all([...names].sort().map((name) => noticeOf(root, name)));
	const intro = 'This package contains code of the following packages.\n';
	return [intro, ...notices].join(`\n${'-'.repeat(80)}\n\n`);
}

module.exports = { bundledLicenses };
