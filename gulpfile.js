/*
 * The steps after `n8n-node build`, which compiles every file on its own: bundle what the package
 * registers, drop the rest, and check that exactly the wanted files will be packed.
 */
const { execFileSync } = require('node:child_process');
const fs = require('node:fs/promises');
const path = require('node:path');
const esbuild = require('esbuild');
const gulp = require('gulp');

const manifest = require('./package.json');

const DIST = path.join(__dirname, 'dist');

/** `dist/nodes/X/X.node.js` → `nodes/X/X.node.ts` */
const sourceOf = (built) => built.replace(/^dist\//, '').replace(/\.js$/, '.ts');

const registered = [...manifest.n8n.nodes, ...manifest.n8n.credentials];

/**
 * Modules that must exist once per process: state such as the pace of calls, and the classes of errors
 * that travel between bundles. They stay files of their own, which all bundles load.
 */
const loadedOnce = async () => {
	const folder = 'nodes/shared/loadedOnce';
	const files = await fs.readdir(path.join(__dirname, folder));
	return files.map((file) => `dist/${folder}/${file.replace(/\.ts$/, '.js')}`);
};

/** Leaves imports of the modules above alone, with the path from one built file to the other. */
const keepLoadedOnce = (shared) => ({
	name: 'keep-loaded-once',
	setup(build) {
		build.onResolve({ filter: /loadedOnce\/|^\.\/\w+$/ }, (request) => {
			const target = path.join(request.resolveDir, request.path);
			const built = `dist/${path.relative(__dirname, target).split(path.sep).join('/')}.js`;
			if (request.kind === 'entry-point' || !shared.includes(built)) return undefined;
			const [entry] = build.initialOptions.entryPoints;
			const relative = path.posix.relative(path.posix.dirname(entry), sourceOf(built));
			const withoutExtension = relative.replace(/\.ts$/, '');
			return {
				path: withoutExtension.startsWith('.') ? withoutExtension : `./${withoutExtension}`,
				external: true,
			};
		});
	},
});

/** From the TypeScript sources, so that of the XML parser only the used parts come along. */
const bundle = async () => {
	const shared = await loadedOnce();
	for (const built of [...registered, ...shared]) {
		await esbuild.build({
			entryPoints: [sourceOf(built)],
			outfile: path.join(__dirname, built),
			bundle: true,
			platform: 'node',
			format: 'cjs',
			target: 'node20',
			external: ['n8n-workflow'],
			plugins: [keepLoadedOnce(shared)],
			keepNames: true,
			charset: 'utf8',
			legalComments: 'eof',
			allowOverwrite: true,
			logLevel: 'warning',
		});
	}
};

const listFiles = async (folder) => {
	const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(__dirname, path.join(entry.parentPath ?? entry.path, entry.name)))
		.map((file) => file.split(path.sep).join('/'));
};

const wantedFiles = async () => {
	const icons = (await listFiles(path.join(__dirname, 'icons'))).map((icon) => `dist/${icon}`);
	const codex = manifest.n8n.nodes.map((node) => node.replace(/\.js$/, '.json'));
	return [...registered, ...(await loadedOnce()), ...icons, ...codex];
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

const copyIcons = () => gulp.src('icons/*.svg').pipe(gulp.dest('dist/icons'));

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
	const wanted = new Set(['package.json', 'README.md', 'LICENSE.md', ...(await wantedFiles())]);
	const missing = [...wanted].filter((file) => !packed.has(file));
	const surplus = [...packed].filter((file) => !wanted.has(file));
	if (missing.length > 0 || surplus.length > 0) {
		throw new Error(
			`The package would not hold the wanted files. Missing: ${missing.join(', ') || 'none'}. Not wanted: ${surplus.join(', ') || 'none'}.`,
		);
	}
};

exports.default = gulp.series(bundle, copyIcons, copyCodex, removeLeftovers, checkPackedFiles);
