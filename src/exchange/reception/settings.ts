/** What the operator sets of our entry in the authority's directory. Reading the configuration loads nothing else of this folder. */
export const PEER_AUTHENTICATION = ["required", "optional"] as const;
/** Whether the entry declares that peers authenticate. */
export type CounterpartyAuthentication = (typeof PEER_AUTHENTICATION)[number];
