/** The parameters of a purchase: the shortest order of a tunnel, as often as ten times in an execution. */
export const NEW_TUNNEL = {
	resource: 'order',
	operation: 'create',
	product: 'TPS',
	payType: 'PRE_PAY',
	prepayTimeType: 'DAY',
	// The preset is 1
	options: { maxOrdersPerRun: 10 },
};
