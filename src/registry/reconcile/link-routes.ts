/** The operations with which owners make, list and revoke links for reconciliation. */
import { type Static, Type } from "@sinclair/typebox";
import { beyondCount, countedPolicyOf } from "../../identity/rate-limits";
import {
	type Call,
	cutPage,
	idFrom,
	json,
	jsonBody,
	NEEDS_KEY,
	type Operation,
	PRIVATE_NO_STORE,
	pageAnswer,
	pageParameters,
	pathParameter,
	readJson,
	readPageQuery,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { Timestamp } from "../entry";
import type { Holder, Links } from "./links";
import type { LinkRow } from "./links-store";

type LinkRoutesDeps = { readonly links: Links; readonly baseUrl: string };

const PATH = "/v1/authority/reconcile-links";
const DAYS_DEFAULT = 30;
const DAYS_MAX = 365;
const EXAMPLE_ID = "0192f2a0-7a00-7b11-9c22-334455667788";
export const EXAMPLE_CAPABILITY = "mYc3V8qLx0tRz1nKfW5uPjD7sGhE9aBoQ2lXvT6iCwZe";

const LinkRequest = Type.Object(
	{
		expires_in_days: Type.Optional(
			Type.Integer({
				...{ minimum: 1, maximum: DAYS_MAX, default: DAYS_DEFAULT },
				description: `How long the link works. Default: ${DAYS_DEFAULT}.`,
			}),
		),
	},
	{ $id: "ReconcileLinkRequest", additionalProperties: false },
);
type LinkRequest = Static<typeof LinkRequest>;

const ReconcileLink = Type.Object(
	{
		id: Type.String(),
		key_id: Type.String({ description: "The API key that made the link, and with which it ends." }),
		created_at: Timestamp("When it was made."),
		expires_at: Timestamp("When it ends."),
	},
	{ $id: "ReconcileLink" },
);
const CreatedLink = Type.Object(
	{
		...ReconcileLink.properties,
		url: Type.String({ description: "The address for OpenRefine. It is a secret and is not shown again." }),
	},
	{ $id: "CreatedReconcileLink" },
);

const EXAMPLE = {
	...{ id: EXAMPLE_ID, key_id: "0192f0c0-7a00-7b11-9c22-334455667788" },
	...{ created_at: "2026-11-20T14:00:00.000Z", expires_at: "2026-12-20T14:00:00.000Z" },
};

export function linkOperations({ links, baseUrl }: LinkRoutesDeps): Operation[] {
	const common = { tag: "Registry", credentials: { ...NEEDS_KEY, needsKey: true }, scope: "registry:read" } as const;
	return [
		{
			...{ id: "createReconcileLink", sdk: "registry.createReconcileLink", method: "POST", path: PATH, ...common },
			summary: "Make a link for reconciliation",
			description:
				"OpenRefine and similar programs cannot send a key. Give them this link instead: anyone who has it may reconcile names with the registry, as your key, and count towards your plan's limits. It works only from the addresses that your key allows. It ends when it expires, when you revoke it, or with the key that made it.",
			body: jsonBody(LinkRequest, { expires_in_days: DAYS_DEFAULT }, false),
			answers: {
				201: {
					description: "The link.",
					schema: CreatedLink,
					example: { ...EXAMPLE, url: `https://api.example/v1/reconcile/${EXAMPLE_CAPABILITY}` },
					headers: { "Cache-Control": "`private, no-store`: the answer contains a secret." },
				},
			},
			problems: ["malformed-json", "validation-error"],
			handle: async (call) => {
				const { expires_in_days: days = DAYS_DEFAULT } = await readJson<LinkRequest>(call);
				checkPlan(call);
				const { capability, ...link } = await links.create(call, holderOf(call), days);
				const url = `${baseUrl}/v1/reconcile/${capability}`;
				return json(201, { ...toRecord(link), url }, PRIVATE_NO_STORE);
			},
		},
		{
			...{ id: "listReconcileLinks", sdk: "registry.listReconcileLinks", method: "GET", path: PATH, ...common },
			summary: "List links for reconciliation",
			description: "The links of all your keys that have not ended, oldest first, without their addresses.",
			parameters: pageParameters(),
			answers: {
				200: pageAnswer("A page of links.", ReconcileLink, EXAMPLE),
			},
			problems: ["validation-error"],
			handle: async (call) => {
				const { limit, query } = readPageQuery(call);
				const rows = await links.list(holderOf(call).ownerId, query.after, limit + 1);
				const { page, place } = cutPage(rows, limit, ({ id }) => id);
				return json(200, { items: page.map(toRecord), ...place }, PRIVATE_NO_STORE);
			},
		},
		{
			...{
				id: "revokeReconcileLink",
				sdk: "registry.revokeReconcileLink",
				method: "DELETE",
				path: `${PATH}/{id}`,
				...common,
			},
			summary: "Revoke a link for reconciliation",
			description: "Within two seconds every process answers the link with 410.",
			parameters: [pathParameter("id", "The link's id.", EXAMPLE_ID)],
			answers: { 204: { description: "The link has ended." } },
			problems: ["not-found"],
			handle: async (call) => {
				const id = idFrom(call);
				if (!(await links.revoke(call, holderOf(call).ownerId, id))) throw new Problem("not-found");
				return new Response(null, { status: 204 });
			},
		},
	];
}

/** Throws: rate-limit-exceeded for a plan that reconciles nothing, since every use of the link would. */
function checkPlan({ principal }: Call): void {
	const policy = principal && countedPolicyOf(principal.plan, "reconcile");
	if (policy?.quota === 0) throw beyondCount(policy, policy.windowSeconds);
}

/** The demo key of a local sandbox has no owner and stands for one. */
function holderOf({ principal, operation }: Call): Holder {
	if (principal?.keyId === undefined) throw new Error(`operation ${operation.id} has no key`);
	return { ownerId: principal.ownerId ?? principal.keyId, keyId: principal.keyId };
}

function toRecord({ id, keyId, createdAt, expiresAt }: LinkRow): Static<typeof ReconcileLink> {
	return { id, key_id: keyId, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
}
