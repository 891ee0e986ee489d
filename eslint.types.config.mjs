/*
 * Rules of our own beside the official lint, which must keep its two-line configuration: they need
 * type information, and keep unchecked data from outside out of the code.
 */
import tseslint from 'typescript-eslint';

export default tseslint.config({
	files: ['{credentials,nodes}/**/*.ts'],
	extends: [tseslint.configs.recommendedTypeChecked],
	languageOptions: { parserOptions: { project: './tsconfig.json' } },
	rules: {
		'@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
		// An async function without await still turns what it throws into a rejection
		'@typescript-eslint/require-await': 'off',
		'@typescript-eslint/no-non-null-assertion': 'error',
		'@typescript-eslint/no-explicit-any': 'error',
		'@typescript-eslint/switch-exhaustiveness-check': 'error',
		'@typescript-eslint/strict-boolean-expressions': ['error', { allowNullableString: true }],
	},
});
