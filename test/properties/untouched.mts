const SHARED = [Object, Array, String, Number, Function, Promise, Error].map(
	({ prototype }): object => prototype,
);

type Snapshot = ReadonlyArray<readonly [PropertyKey, PropertyDescriptor]>;

function snapshot(shared: object): Snapshot {
	return Reflect.ownKeys(shared).map((key) => {
		const descriptor = Reflect.getOwnPropertyDescriptor(shared, key);
		if (descriptor === undefined) throw new Error(`${String(key)} has no descriptor`);
		return [key, descriptor];
	});
}

const before = SHARED.map(snapshot);

/** What every object inherits is as it was when the test began: nothing from outside has got into it. */
export function expectPrototypesUntouched(): void {
	SHARED.forEach((shared, index) => {
		const known = new Map(before[index]);
		for (const [key, { value }] of snapshot(shared)) {
			const isSame = known.has(key) && known.get(key)?.value === value;
			if (!isSame) throw new Error(`A prototype has got another '${String(key)}'`);
		}
	});
}
