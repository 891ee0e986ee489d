import { startScriptedService } from '../support/scriptedService.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

it('an answer that repeats the address does not bring the signature into the error', async () => {
	const service = await startScriptedService(({ url }) => ({ status: 502, body: `for ${url}` }));
	const { error } = await bed().extract({ credential: service.hosts });
	await service.close();
	const { signature } = service.calls[0].parameters;
	expect(error?.description).toContain('for /api/getproxy');
	expect(error?.description).not.toContain(signature);
	expect(error?.description).not.toContain(encodeURIComponent(signature));
});

it('a key with a quote is hidden in data that is shown', async () => {
	const secretKey = 'quo"ted\\key';
	const service = await startScriptedService(() => ({
		body: JSON.stringify({ code: 0, data: { secretKey } }),
	}));
	const { error } = await bed().extract({ credential: { ...service.hosts, secretKey } });
	await service.close();
	expect(error?.description).toContain('[hidden]');
	expect(error?.description).not.toContain('ted');
});
