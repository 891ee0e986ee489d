/*
 * The steps after `n8n-node build`, which compiles every file on its own: bundle what the package
 * registers, drop the rest, and check that exactly the wanted files will be packed.
 */
const { execFileSync } = require('node:child_process');
const fs = require('node:fs/promises');
const path = require('node:path');
const esbuild = require('esbuild');
const gulp = require('gulp');
const { bundledLicenses } = require('./scripts/bundledLicenses.cjs');

const manifest = require('./package.json');

const DIST = path.join(__dirname, 'dist');

/** `dist/nodes/X/X.node.js` → `nodes/X/X.node.ts` */
const sourceOf = (built) => built.replace(/^dist\//, '').replace(/\.js$/, '.ts');

const registered = [...manifest.n8n.nodes, ...manifest.n8n.credentials];

/** Where the modules go that several of the registered files load. */
const SHARED = 'dist/nodes/shared';

/** XML has five entities: its parser gets no table of those of HTML, which another file has already. */
const xmlEntities = {
	name: 'xml-entities',
	setup(build) {
		build.onLoad({ filter: /[\\/]decode-data-html\.js$/ }, ({ path: file }) => ({
			contents: `export { xmlDecodeTree as htmlDecodeTree } from './decode-data-xml.js';`,
			resolveDir: path.dirname(file),
		}));
	},
};

/**
 * Modules with libraries that are larger than all the rest, and that few need: each is a file of its own, which is
 * loaded when one of its functions is called for the first time. They stand where esbuild puts what loads them.
 */
const LOADED_LATE = [
	{ source: 'nodes/shared/bundled/xmlDocument.ts', names: ['parseXml'] },
	{ source: 'nodes/shared/bundled/cookieJar.ts', names: ['newCookies'] },
	{ source: 'nodes/shared/bundled/gunzip.ts', names: ['gunzip'] },
	{ source: 'nodes/shared/bundled/nearestName.ts', names: ['nearestName'] },
	{
		source: 'nodes/shared/bundled/encodings.ts',
		names: ['decodeBytes', 'percentEncodeIn'],
		options: {
			// Its forms for Node load modules of Node
			platform: 'browser',
			// n8n lets no package use globals; the library does without them
			define: { globalThis: 'WITHOUT_GLOBALS' },
			banner: { js: 'const WITHOUT_GLOBALS = {};' },
		},
	},
	{
		source: 'nodes/shared/bundled/htmlTree.ts',
		names: ['readHtmlTree', 'compileCss', 'innerHtml', 'charactersNamed', 'nthCheck'],
		// Its table has letters of other scripts beside ours, which scanners take for a disguise
		charset: 'ascii',
	},
	{
		source: 'nodes/shared/bundled/xmlTree.ts',
		names: ['readXmlTree', 'markupParser'],
		plugins: [xmlEntities],
	},
].map(({ source, ...more }) => {
	const file = `${path.basename(source, '.ts')}.js`;
	return { source, ...more, file, built: `${SHARED}/${file}` };
});

const loadLate = {
	name: 'load-late',
	setup(build) {
		for (const { source, names, file } of LOADED_LATE) {
			const filter = new RegExp(`[\\\\/]${path.basename(source).replace('.', '\\.')}$`);
			const load = (name) =>
				`export const ${name} = (...given) => require('./${file}').${name}(...given);`;
			build.onLoad({ filter }, () => ({ contents: names.map(load).join('\n') }));
		}
	},
};

/** Data that the libraries bring and that is not needed: scanners take such tables for hidden code. */
const REPLACED = {
	// Without workers
	fflate: 'fflate/browser',
	// All public suffixes
	tldts: './scripts/publicSuffixes.mjs',
};

/** A module with its libraries, in one file. */
const bundleLate = async ({ source, built, charset = 'utf8', plugins = [], options = {} }) =>
	await esbuild.build({
		entryPoints: [source],
		outfile: path.join(__dirname, built),
		absWorkingDir: __dirname,
		bundle: true,
		platform: 'node',
		// The form of a library that unused parts can be left out of
		mainFields: ['module', 'main'],
		format: 'cjs',
		target: 'node20',
		charset,
		legalComments: 'eof',
		// What a library would say to the console is nothing for n8n's
		drop: ['console'],
		alias: REPLACED,
		plugins,
		metafile: true,
		logLevel: 'warning',
		...options,
	});

/** The notices of what is bundled into the files above. */
const LICENSES = 'dist/THIRD-PARTY-LICENSES.txt';

/** `text` with the names of the chunks that esbuild made up replaced by the numbers of `names`. */
const withPlainNames = (text, names) =>
	names.reduce((renamed, name, index) => renamed.replaceAll(name, `chunk${index + 1}`), text);

/**
 * What several of the registered files need goes into files of its own, so that it is there once: the
 * pace of calls must be kept by one rate limiter in a process, and the errors of one file must not be
 * strangers in another.
 */
const bundle = async () => {
	const { outputFiles, metafile } = await esbuild.build({
		entryPoints: registered.map(sourceOf),
		outbase: '.',
		outdir: DIST,
		chunkNames: 'nodes/shared/[name]-[hash]',
		absWorkingDir: __dirname,
		bundle: true,
		splitting: true,
		platform: 'node',
		format: 'esm',
		target: 'node20',
		external: ['n8n-workflow', ...LOADED_LATE.map(({ file }) => `./${file}`)],
		plugins: [loadLate],
		charset: 'utf8',
		write: false,
		metafile: true,
		logLevel: 'warning',
	});
	await fs.rm(path.join(__dirname, SHARED), { recursive: true, force: true });
	await fs.mkdir(path.join(__dirname, SHARED), { recursive: true });
	const chunks = outputFiles
		.map(({ path: file }) => path.basename(file, '.js'))
		.filter((name) => name.startsWith('chunk-'));
	for (const { path: file, text } of outputFiles) {
		// Only modules of this kind can be split, and n8n loads the other kind
		const { code } = await esbuild.transform(withPlainNames(text, chunks), {
			format: 'cjs',
			platform: 'node',
			target: 'node20',
			charset: 'utf8',
		});
		await fs.writeFile(withPlainNames(file, chunks), code);
	}
	const late = await Promise.all(LOADED_LATE.map(bundleLate));
	const metafiles = [metafile, ...late.map((one) => one.metafile)];
	const inputs = metafiles.flatMap((meta) => Object.keys(meta.inputs));
	await fs.writeFile(path.join(__dirname, LICENSES), await bundledLicenses(__dirname, inputs));
};

const listFiles = async (folder) => {
	const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(__dirname, path.join(entry.parentPath ?? entry.path, entry.name)))
		.map((file) => file.split(path.sep).join('/'));
};

const CHUNK = /^dist\/nodes\/shared\/chunk\d+\.js$/;

const wantedFiles = async () => {
	const shared = (await listFiles(DIST)).filter((file) => CHUNK.test(file));
	const icons = (await listFiles(path.join(__dirname, 'icons'))).map((icon) => `dist/${icon}`);
	const codex = manifest.n8n.nodes.map((node) => node.replace(/\.js$/, '.json'));
	const late = LOADED_LATE.map(({ built }) => built);
	const schemas = (await listFiles(path.join(__dirname, 'nodes')))
		.filter((file) => file.includes('/__schema__/'))
		.map((file) => `dist/${file}`);
	return [...registered, ...late, LICENSES, ...shared, ...icons, ...codex, ...schemas];
};

const removeLeftovers = async () => {
	const wanted = new Set(await wantedFiles());
	for (const file of await listFiles(DIST)) {
		if (!wanted.has(file)) await fs.rm(path.join(__dirname, file));
	}
	const folders = await fs.readdir(DIST, { recursive: true, withFileTypes: true });
	const deepestFirst = folders
		.filter((entry) => entry.isDirectory())
		.map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
		.sort((a, b) => b.length - a.length);
	for (const folder of deepestFirst) {
		if ((await fs.readdir(folder)).length === 0) await fs.rmdir(folder);
	}
};

const copyCodex = () => gulp.src('nodes/*/*.node.json', { base: '.' }).pipe(gulp.dest('dist'));

const checkPackedFiles = async () => {
	const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
		cwd: __dirname,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
		shell: process.platform === 'win32',
	});
	const report = JSON.parse(output);
	// npm 12 names the packages, earlier versions list them
	const [{ files }] = Array.isArray(report) ? report : Object.values(report);
	const packed = new Set(files.map((file) => file.path));
	const examples = (await listFiles(path.join(__dirname, 'examples'))).filter((file) =>
		file.endsWith('.json'),
	);
	const wanted = new Set([
		...['package.json', 'README.md', 'LICENSE.md'],
		...(await wantedFiles()),
		...examples,
	]);
	const missing = [...wanted].filter((file) => !packed.has(file));
	const surplus = [...packed].filter((file) => !wanted.has(file));
	if (missing.length > 0 || surplus.length > 0) {
		throw new Error(
			`The package would not hold the wanted files. Missing: ${missing.join(', ') || 'none'}. Not wanted: ${surplus.join(', ') || 'none'}.`,
		);
	}
};

exports.bundle = bundle;
exports.default = gulp.series(bundle, copyCodex, removeLeftovers, checkPackedFiles);
