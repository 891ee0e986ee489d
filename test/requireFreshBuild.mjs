import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

async function times(folder) {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	return await Promise.all(
		files.map(async (file) => (await stat(join(file.parentPath ?? file.path, file.name))).mtimeMs),
	);
}

/** The engine's tests load the built files: an old build would prove nothing about the source. */
export default async function requireFreshBuild() {
	const sources = (await Promise.all(['nodes', 'credentials'].map(times))).flat();
	const built = await times('dist').catch(() => []);
	if (built.length === 0 || Math.max(...built) < Math.max(...sources)) {
		throw new Error('dist/ is older than the source. Run "npm run build" first.');
	}
}
