import { movedLines } from '../broken/lines.mts';

it('each line that `npm run test:broken` breaks stands in the product once', async () => {
	expect(await movedLines()).toEqual([]);
});
