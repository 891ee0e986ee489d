import { runSchedule } from '../../../../../nodes/Kuaidaili/pages/schedule.ts';

async function tick(): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, 1));
}

async function run(lanes: number[][], most: number, endsAfter = Infinity) {
	const begun: number[] = [];
	const ended: number[][] = [];
	let atOnce = 0;
	let highest = 0;
	await runSchedule({
		lanes,
		atATime: () => most,
		async work(index) {
			begun.push(index);
			atOnce += 1;
			highest = Math.max(highest, atOnce);
			await tick();
			atOnce -= 1;
		},
		laneEnded: (lane) => void ended.push([...lane]),
		isOver: () => begun.length >= endsAfter,
	});
	return { begun, ended, highest, atOnce };
}

it('works on so many at a time, and no more', async () => {
	const { begun, highest, atOnce } = await run([[0], [1], [2], [3], [4], [5], [6]], 3);
	expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
	expect(highest).toBe(3);
	expect(atOnce).toBe(0);
});

it('works on what belongs together one after the other, and tells when it is done', async () => {
	const { begun, ended, highest } = await run([[0, 2, 4], [1]], 5);
	expect(begun).toEqual([0, 1, 2, 4]);
	expect(ended).toEqual([[1], [0, 2, 4]]);
	expect(highest).toBe(2);
});

it('begins nothing more when it is over, and waits for what runs', async () => {
	const { begun, atOnce } = await run([[0], [1], [2], [3]], 2, 2);
	expect(begun).toEqual([0, 1]);
	expect(atOnce).toBe(0);
});
