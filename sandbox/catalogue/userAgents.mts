export const DEVICES = ['pc', 'mobile', 'pad'] as const;
export const PLATFORMS = ['win', 'macos', 'linux', 'ios', 'android'] as const;
export const BROWSERS = ['chrome', 'firefox', 'ie', 'weixin'] as const;

export interface UserAgent {
	text: string;
	device: (typeof DEVICES)[number];
	platform: (typeof PLATFORMS)[number];
	browser: (typeof BROWSERS)[number];
}

interface System extends Pick<UserAgent, 'device' | 'platform'> {
	/** What stands in the brackets. */
	names: readonly string[];
}

const SYSTEMS: readonly System[] = [
	{
		device: 'pc',
		platform: 'win',
		names: ['Windows NT 10.0; Win64; x64', 'Windows NT 6.3; Win64; x64', 'Windows NT 6.1; WOW64'],
	},
	{
		device: 'pc',
		platform: 'macos',
		names: ['Macintosh; Intel Mac OS X 10_15_7', 'Macintosh; Intel Mac OS X 10_14_6'],
	},
	{ device: 'pc', platform: 'linux', names: ['X11; Linux x86_64', 'X11; Ubuntu; Linux x86_64'] },
	{
		device: 'mobile',
		platform: 'ios',
		names: ['iPhone; CPU iPhone OS 17_5 like Mac OS X', 'iPhone; CPU iPhone OS 16_6 like Mac OS X'],
	},
	{
		device: 'pad',
		platform: 'ios',
		names: ['iPad; CPU OS 17_5 like Mac OS X', 'iPad; CPU OS 16_6 like Mac OS X'],
	},
	{
		device: 'mobile',
		platform: 'android',
		names: ['Linux; Android 14; 23127PN0CC', 'Linux; Android 13; V2304A'],
	},
	{
		device: 'pad',
		platform: 'android',
		names: ['Linux; Android 13; SM-X810', 'Linux; Android 12; BTK-W09'],
	},
];

const versions = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, index) => first + index);

const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko)';

type Writer = (system: string, version: number) => string;

const WRITERS: ReadonlyArray<[UserAgent['browser'], Writer, readonly number[]]> = [
	[
		'chrome',
		(system, version) => `Mozilla/5.0 (${system}) ${BLINK} Chrome/${version}.0.0.0 Safari/537.36`,
		versions(101, 140),
	],
	[
		'firefox',
		(system, version) =>
			`Mozilla/5.0 (${system}; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`,
		versions(101, 140),
	],
	[
		'ie',
		(system, version) => `Mozilla/5.0 (compatible; MSIE ${version}.0; ${system})`,
		versions(8, 11),
	],
	[
		'weixin',
		(system, version) =>
			`Mozilla/5.0 (${system}) ${BLINK} Safari/537.36 MicroMessenger/8.0.${version}`,
		versions(30, 60),
	],
];

/** Every string there is; there is no IE but for Windows. */
export const USER_AGENTS: readonly UserAgent[] = SYSTEMS.flatMap(({ device, platform, names }) =>
	WRITERS.filter(([browser]) => browser !== 'ie' || platform === 'win').flatMap(
		([browser, write, known]) =>
			names.flatMap((name) =>
				known.map((version) => ({ text: write(name, version), device, platform, browser })),
			),
	),
);
