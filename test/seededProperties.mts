import fc from 'fast-check';

import { seed } from './seed.mts';

/** Properties try the same cases in each run; `npm run fuzz` tries others. */
fc.configureGlobal({ seed });
