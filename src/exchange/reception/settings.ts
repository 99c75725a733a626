/**
 * The operator's settings about the entry in the authority's directory. Separate, so that reading the configuration loads nothing else of this
 * folder.
 */
export const PEER_AUTHENTICATION = ["required", "optional"] as const;
/** Whether the entry declares that counterparties authenticate. */
export type CounterpartyAuthentication = (typeof PEER_AUTHENTICATION)[number];
