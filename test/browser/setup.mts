import type { Session } from '../../demo/session.mts';
import type { Editor } from './editor/editor.mts';

/** What the checks in the browser work with. */
export interface BrowserSetup {
	readonly session: Session;
	readonly editor: Editor;
	/** What the page said about errors so far. */
	readonly complaints: readonly string[];
}
