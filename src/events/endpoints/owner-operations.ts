/**
 * The operations on webhooks and events for customers of the registry, who have no company: the same operations under `/v1/authority`, with the
 * key alone. The key's owner takes the place of the company.
 */
import { type Call, type Credentials, NEEDS_KEY_ONLY, type Operation } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { OwnerEndpointPatch, OwnerEndpointRequest } from "./endpoint";

const TAG = "Watchlists";
/** What is the owner's is beyond the one company that a session names. */
const NEEDS_KEY_ITSELF: Credentials = { ...NEEDS_KEY_ONLY, needsKey: true };
const BODIES: Readonly<Record<string, typeof OwnerEndpointRequest | typeof OwnerEndpointPatch>> = {
	createWebhook: OwnerEndpointRequest,
	patchWebhook: OwnerEndpointPatch,
};
const REGISTRY_EVENTS = ["registry.record_changed"];

/** `operations` are those of webhooks and events. */
export function forOwners(operations: readonly Operation[]): Operation[] {
	return operations.map((operation) => {
		const { id, path, method, body, problems, description } = operation;
		const schema = BODIES[id];
		const example = body?.example as Readonly<Record<string, unknown>> | undefined;
		const isRead = method === "GET";
		const text = description?.replaceAll("A company ", "An owner ").replaceAll("company", "owner");
		const ofOwner: Operation = {
			...operation,
			id: `registry${capitalise(id)}`,
			sdk: operation.sdk && `registry${capitalise(operation.sdk)}`,
			path: path.replace("/v1/", "/v1/authority/"),
			tag: TAG,
			summary: `${operation.summary.replace("the company's", "the owner's")}, of a registry customer`,
			...(text === undefined ? {} : { description: text }),
			credentials: NEEDS_KEY_ITSELF,
			scope: isRead ? "watchlists:read" : "watchlists:write",
			...(body && schema ? { body: { ...body, schema, example: { ...example, events: REGISTRY_EVENTS } } } : {}),
			problems: [...new Set([...problems, "forbidden" as const])],
			handle: (call) => operation.handle(asOwner(call)),
		};
		return ofOwner;
	});
}

const capitalise = <T extends string>(name: T) => `${name.charAt(0).toUpperCase()}${name.slice(1)}` as Capitalize<T>;

/** Throws: forbidden, for a key without an owner. */
function asOwner(call: Call): Call {
	const { principal } = call;
	const ownerId = principal?.ownerId;
	if (!principal || !ownerId) {
		throw new Problem("forbidden", {
			detail: msg`The demo key has no owner, and so no webhooks or events of its own.`,
		});
	}
	return { ...call, principal: { ...principal, tenantId: ownerId } };
}
