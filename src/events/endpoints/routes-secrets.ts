/** The operations on an endpoint's secrets: a new one, and the end of an overlap. */
import { type Static, Type } from "@sinclair/typebox";
import { actorOf } from "../../identity/audit-log";
import { answerOnce, idempotencyKeyParameter } from "../../platform/idempotency";
import { type Call, idFrom, NEEDS_BOTH, type Operation, tenantOf } from "../../platform/operation";
import {
	type EndpointDeps,
	headersOf,
	ID,
	jsonBody,
	KEY,
	REPEATED,
	TOLD,
	TOLD_ONCE,
	tellOnce,
	WRITING,
	WRITING_BARE,
} from "./answer";
import { promoteSecret, rotateSecret, takeEndpoint } from "./change-endpoint";
import { noteEndpoint } from "./note-change";
import { toEndpointRecord } from "./record";

const TAG = "Webhooks";
const OVERLAP_SECONDS = 86_400;

const RotateSecretRequest = Type.Object(
	{
		overlapSeconds: Type.Optional(
			Type.Integer({
				minimum: 0,
				maximum: 604_800,
				description:
					"How long both secrets sign; a day when absent. 0 for a secret that others know: the old one ends at once.",
			}),
		),
	},
	{ additionalProperties: false },
);
type RotateSecretRequest = Static<typeof RotateSecretRequest>;

export function secretOperations(deps: EndpointDeps): Operation[] {
	return [
		{
			id: "rotateWebhookSecret",
			...{ method: "POST", path: "/v1/webhooks/{id}/rotate-secret", tag: TAG, summary: "Give a webhook a new secret" },
			description:
				"Until the overlap ends, `X-Service-Signature` is made with the old secret and `X-Service-Signature-Next` with the new one; " +
				"`webhook-signature` lists both. Then, or when the new one is promoted, it signs alone.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [ID, KEY],
			body: jsonBody(RotateSecretRequest, { overlapSeconds: OVERLAP_SECONDS }, false),
			answers: {
				201: { description: "The webhook with its new secret.", ...TOLD_ONCE },
				200: REPEATED,
			},
			problems: [...WRITING, "not-found"],
			handle: (call) => rotate(deps, call),
		},
		{
			id: "promoteWebhookSecret",
			...{ method: "POST", path: "/v1/webhooks/{id}/promote-secret", tag: TAG, summary: "End a rotation now" },
			description: "The new secret signs alone from here on. Without a rotation under way nothing changes.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [ID, idempotencyKeyParameter()],
			answers: {
				200: {
					description: "The webhook as it is now; for a repeat of an idempotency key the first answer again.",
					...TOLD,
				},
			},
			problems: [...WRITING_BARE, "not-found"],
			handle: (call) => promote(deps, call),
		},
	];
}

async function rotate({ sql, envelope, clock }: EndpointDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	return answerOnce<RotateSecretRequest>(sql, call, async (tx, { overlapSeconds = OVERLAP_SECONDS }) => {
		const before = await takeEndpoint(tx, tenantId, id);
		const now = clock.now();
		const { endpoint, secret } = await rotateSecret(tx, envelope, before, overlapSeconds, now);
		await noteEndpoint(tx, { actor: actorOf(call), at: now }, "rotate-secret", endpoint);
		return { status: 201, ...tellOnce(endpoint, secret, now) };
	});
}

async function promote({ sql, clock }: EndpointDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	return answerOnce(sql, call, async (tx) => {
		const before = await takeEndpoint(tx, tenantId, id);
		const now = clock.now();
		const after = await promoteSecret(tx, before, now);
		if (after !== before) await noteEndpoint(tx, { actor: actorOf(call), at: now }, "promote-secret", after);
		return { status: 200, body: toEndpointRecord(after, now), headers: headersOf(after) };
	});
}
