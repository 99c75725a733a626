/** The credentials that each operation requires, as an independent table to check the service's description against. */
import type { ApiOperation, Need } from "./description";

export type Needs = { readonly key: Need; readonly bearer: Need };

const PUBLIC: Needs = { key: "ignored", bearer: "ignored" };
const KEY_ALONE: Needs = { key: "required", bearer: "ignored" };
const MATRIX: readonly (readonly [RegExp, Needs])[] = [
	// A client authenticates in the body; a key sent along is checked.
	[/^POST \/v1\/auth\/(token|revoke)$/, { key: "optional", bearer: "ignored" }],
	// There is no company yet, or its client is lost: only the owner's key is possible.
	[/^POST \/v1\/company$/, KEY_ALONE],
	[/^POST \/v1\/company\/\{id\}\/credentials$/, KEY_ALONE],
	[/^GET \/v1\/invoices\/\{docId\}\/status$/, { key: "optional", bearer: "required" }],
	[/^POST \/v1\/webhooks\/test$/, { key: "optional", bearer: "required" }],
	[/^POST \/v1\/authority\/document\/\{document\}:purge$/, { key: "required", bearer: "required" }],
	// A caller that only looks up taxpayers has no company, and so no token.
	[/^GET \/v1\/usage$/, { key: "required", bearer: "optional" }],
	// What the archive has signed is public; an export's address is signed itself.
	[/^GET \/v1\/archive\/(checkpoints|proofs|exports\/\{exportId\}\/file)/, PUBLIC],
	[/^GET \/v1\/(authority\/codes|schemas|changelog|places)/, PUBLIC],
	// The queue's figures are the tenant's.
	[/^GET \/v1\/authority\/status$/, { key: "required", bearer: "required" }],
	// Of people: a session of the console, or what signs one in.
	[/^\w+ \/v1\/(session|me|team)(\/|$)/, PUBLIC],
	// The link's own token is the credential.
	[/^GET \/v1\/links\/\{token\}$/, PUBLIC],
	// So is the portal's.
	[/^POST \/v1\/portal-sessions$/, PUBLIC],
	// Its body is signed with an operator's secret.
	[/^POST \/v1\/mail\/bounces$/, PUBLIC],
	// Operators act for no company.
	[/^\w+ \/v1\/operator\//, KEY_ALONE],
	// A receiver of an attestation has no key.
	[/^POST \/v1\/authority\/attestations:verify$/, PUBLIC],
	// The capability in the path is the credential.
	[/^\w+ \/v1\/reconcile\//, PUBLIC],
	// Customers of the registry have no company.
	[/^\w+ \/v1\/authority\/(webhooks|events)/, KEY_ALONE],
	// Who gets mails of a list has no key: the link is the credential.
	[/^\w+ \/v1\/watchlist-mails/, PUBLIC],
	[/^\w+ \/v1\/watchlists/, { key: "required", bearer: "optional" }],
	[/^\w+ \/v1\/authority\//, { key: "required", bearer: "optional" }],
	[/^\w+ \/v1\//, { key: "required", bearer: "required" }],
	// A company's token is checked by the operation that a tool calls.
	[/^POST \/mcp$/, KEY_ALONE],
	// Other taxpayers' programs have no key; where they need a token, it is one of their own.
	[/^\w+ \/fe\//, PUBLIC],
	[/^GET \//, PUBLIC],
];

export function promisedNeeds({ name }: Pick<ApiOperation, "name">): Needs | undefined {
	return MATRIX.find(([form]) => form.test(name))?.[1];
}

/** State of a credential. */
export type Sent = "absent" | "good" | "bad" | "foreign";
export type State = {
	readonly name: string;
	readonly key: Sent;
	readonly bearer: Sent;
	readonly headers: Readonly<Record<string, string>>;
	/** The credentials' scopes; defaults to all. */
	readonly scopes?: readonly string[];
};

/** 401, 403, or undefined if the caller must be admitted. */
export function expectedStatus({ key, bearer }: Needs, scope: string | undefined, state: State): 401 | 403 | undefined {
	const counts = (need: Need, sent: Sent) => need === "required" || (need === "optional" && sent !== "absent");
	const isBad = (sent: Sent) => sent === "absent" || sent === "bad";
	const [keyCounts, bearerCounts] = [counts(key, state.key), counts(bearer, state.bearer)];
	if ((keyCounts && isBad(state.key)) || (bearerCounts && isBad(state.bearer))) return 401;
	if (keyCounts && bearerCounts && state.key === "foreign") return 401;
	const lacks = scope !== undefined && state.scopes !== undefined && !state.scopes.includes(scope);
	return lacks && (keyCounts || bearerCounts) ? 403 : undefined;
}
