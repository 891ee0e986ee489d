/** A text, and its bytes in a character set of which Node.js can only read, not write. */
export interface ChineseText {
	text: string;
	bytes: Buffer;
}

const SIMPLIFIED =
	'快代理是一家代理服务商。每天早上，用户在这里查看订单、余额和代理的有效时间，然后打开需要的网页，把结果保存下来。如果页面打不开，就换一个代理再试一次。';

/** Of more than two bytes in GB18030, and not there in GBK. */
const RARE = '比如𠮷野家。';

const TRADITIONAL =
	'快代理是一家代理服務商。每天早上，使用者在這裡查看訂單、餘額和代理的有效時間，然後打開需要的網頁，把結果保存下來。如果頁面打不開，就換一個代理再試一次。';

const base64 = (...lines: string[]) => Buffer.from(lines.join(''), 'base64');

export const CHINESE_TEXTS = {
	gbk: {
		text: SIMPLIFIED,
		bytes: base64(
			'v+y0+sDtysfSu7zStPrA7bf+zvHJzKGjw7/M7NTnyc+jrNPDu6fU2tXiwO+y6b+0tqm1paGi0+C27rrNtPrA',
			'7bXE09DQp8qxvOSjrMi7uvO08r+q0OjSqrXEzfjSs6OssNG94bn7saO05s/CwLSho8jnufvSs8PmtPKyu7+q',
			'o6y+zbu70ru49rT6wO3U2crU0ru0zqGj',
		),
	},
	gb18030: {
		text: SIMPLIFIED + RARE,
		bytes: base64(
			'v+y0+sDtysfSu7zStPrA7bf+zvHJzKGjw7/M7NTnyc+jrNPDu6fU2tXiwO+y6b+0tqm1paGi0+C27rrNtPrA',
			'7bXE09DQp8qxvOSjrMi7uvO08r+q0OjSqrXEzfjSs6OssNG94bn7saO05s/CwLSho8jnufvSs8PmtPKyu7+q',
			'o6y+zbu70ru49rT6wO3U2crU0ru0zqGjscjI55U0sjXSsLzSoaM=',
		),
	},
	big5: {
		text: TRADITIONAL,
		bytes: base64(
			'p9alTrJ6rE+kQK5hpU6yeqpBsMiw06FDqEOk0aatpFehQajPpc6qzKZis2+4zKxkrN2tcbPmoUK+bMNCqU2l',
			'TrJ6qrqms67Ersm2oaFBtU2r4aW0tn273a1uqrq69K22oUGn4rWyqkerT6ZzpFWo06FDpnCqR622rbGltKSj',
			'tn2hQbROtKukQK3TpU6yeqZBuNWkQKa4oUM=',
		),
	},
	'utf-8': { text: SIMPLIFIED + RARE, bytes: Buffer.from(SIMPLIFIED + RARE) },
} as const satisfies Record<string, ChineseText>;

export type Charset = keyof typeof CHINESE_TEXTS;

export function isCharset(name: string): name is Charset {
	return Object.hasOwn(CHINESE_TEXTS, name);
}
