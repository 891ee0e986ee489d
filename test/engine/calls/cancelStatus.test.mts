import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

it('a cancelled execution has the status that n8n gives such executions', async () => {
	bed().sandbox.faults.add({ kind: 'hang' });
	const { status } = await bed().extract({ cancelWhen: sleep(200) });
	expect(status).toBe('canceled');
});
