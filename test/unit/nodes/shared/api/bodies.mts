import { InvalidResponseError } from '../../../../../nodes/shared/api/errors.ts';
import { parseBody } from '../../../../../nodes/shared/api/answer.ts';

export const XML_ANSWER = `<?xml version="1.0" encoding="utf-8"?>
<result>
  <code>0</code>
  <msg></msg>
  <data>
    <count>2</count>
    <proxy_list>
      <proxy>113.120.61.166:22989</proxy>
      <proxy>122.4.44.132:21808</proxy>
    </proxy_list>
  </data>
</result>`;

export function reasonFor(body: string): string | undefined {
	try {
		parseBody(body);
		return undefined;
	} catch (error) {
		if (!(error instanceof InvalidResponseError)) throw error;
		expect(error.excerpt).toBe('');
		return error.reason;
	}
}

export function envelope(code: number, msg: string, data: unknown): ReturnType<typeof parseBody> {
	return { code, msg, data };
}

export const xml = (inside: string) => `<result><code>0</code><msg>m</msg>${inside}</result>`;
