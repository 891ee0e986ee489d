type Close = () => Promise<void>;

const open = new Set<Close>();

/**
 * Closes a server after the last test, unless that was done before. A test that hangs comes to no end
 * of its own, and a server that is left open would keep the whole run from ending.
 *
 * @returns what to call for closing it earlier
 */
export function closeAtEnd(close: Close): Close {
	const once = async () => {
		if (open.delete(once)) await close();
	};
	open.add(once);
	return once;
}

afterAll(async () => {
	for (const close of [...open]) await close();
});
