import type { Session } from '../../demo/session.mts';
import type { Editor } from './editor/editor.mts';
import type { OpenBrowser } from './editor/openBrowser.mts';

/** What the checks in the browser work with. */
export interface BrowserSetup {
	readonly session: Session;
	readonly browser: OpenBrowser;
	readonly editor: Editor;
	/** What the page said about errors so far. */
	readonly complaints: readonly string[];
}
