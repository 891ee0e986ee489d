export { CONTINUE, CONTINUE_WITH_ERRORS, RETRY } from './runSettings.mts';
