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

type Writer = (system: string, version: number, where: System) => string | undefined;

const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko)';

const chrome: Writer = (system, version, { device, platform }) => {
	if (platform === 'ios') {
		return `Mozilla/5.0 (${system}) ${WEBKIT} CriOS/${version}.0.0.0 Mobile/15E148 Safari/604.1`;
	}
	const mobile = device === 'mobile' ? 'Mobile ' : '';
	return `Mozilla/5.0 (${system}) ${BLINK} Chrome/${version}.0.0.0 ${mobile}Safari/537.36`;
};

const firefox: Writer = (system, version, { platform }) =>
	platform === 'ios'
		? `Mozilla/5.0 (${system}) ${WEBKIT} FxiOS/${version}.0 Mobile/15E148 Safari/605.1.15`
		: `Mozilla/5.0 (${system}; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;

const ie: Writer = (system, version, { platform }) => {
	if (platform !== 'win') return undefined;
	return version === 11
		? `Mozilla/5.0 (${system}; Trident/7.0; rv:11.0) like Gecko`
		: `Mozilla/5.0 (compatible; MSIE ${version}.0; ${system})`;
};

const weixin: Writer = (system, version, { device, platform }) => {
	if (platform === 'linux') return undefined;
	const messenger = `MicroMessenger/8.0.${version} NetType/WIFI Language/zh_CN`;
	if (device === 'pc') return `Mozilla/5.0 (${system}) ${BLINK} Safari/537.36 ${messenger}`;
	return platform === 'ios'
		? `Mozilla/5.0 (${system}) ${WEBKIT} Mobile/15E148 ${messenger}`
		: `Mozilla/5.0 (${system}) ${BLINK} Chrome/116.0.0.0 Mobile Safari/537.36 ${messenger}`;
};

const WRITERS: ReadonlyArray<[UserAgent['browser'], Writer, readonly number[]]> = [
	['chrome', chrome, versions(101, 140)],
	['firefox', firefox, versions(101, 140)],
	['ie', ie, versions(8, 11)],
	['weixin', weixin, versions(30, 60)],
];

/** Every string there is, in the forms that these browsers really have; there is no IE but for Windows. */
export const USER_AGENTS: readonly UserAgent[] = SYSTEMS.flatMap((system) =>
	WRITERS.flatMap(([browser, write, known]) =>
		system.names.flatMap((name) =>
			known.flatMap((version) => {
				const text = write(name, version, system);
				const { device, platform } = system;
				return text === undefined ? [] : [{ text, device, platform, browser }];
			}),
		),
	),
);
