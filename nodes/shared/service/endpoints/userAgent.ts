import { read } from '../endpoint';

/**
 * Paying accounts may call it five times per second, free ones once; an answer doesn't show which of them
 * it is. The service documents no codes of its own.
 */
export const GET_UA = read('/api/getua', { key: 'either' });
