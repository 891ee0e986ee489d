/* What to do next, where several codes have the same description. */

export const KEYS_TOGETHER =
	"Copy 'Secret ID' and 'Secret Key' again from the member centre; both must come from the same place.";

/** Which key pair is needed, and where it is found. */
export const KEY_TYPE_DESCRIPTIONS = {
	account:
		"Use a credential with the account's key pair, which the member centre shows on its API page, and set its 'Key Type' to 'Account'.",
	order:
		"Use a credential with the order's own key pair, which the member centre shows on the order's page, and set its 'Key Type' to 'Order'.",
} as const;

export const REPORT =
	'Please report this to the maintainers of this node, with the operation that you used.';

export const VALUES_REFUSED =
	"The service's own message often names the value. Compare the fields with what the member centre offers at the moment.";
