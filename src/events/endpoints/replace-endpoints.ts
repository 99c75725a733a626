/**
 * Makes a tenant's endpoints those of a list, as a change of its company has it.
 *
 *   in the list, URL known     stays, with id, secret and status; what the list says of it is taken
 *   in the list, URL new       is added, with a fresh secret
 *   not in the list            is removed
 *
 * The list has each URL once. Of several endpoints with one URL, which `POST /v1/webhooks` may have made, the oldest is met and the others go. An entry that is only a URL leaves a known endpoint as it is; one that is
 * an object is a whole new value, as arrays are replaced in a merge patch: what it leaves out takes its default.
 */
import type { Doer } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import type { Envelope } from "../../platform/secrets";
import { addEndpoint, type EndpointWish } from "./add-endpoint";
import { type ResumeProbe, writeChange } from "./change-endpoint";
import type { WebhookEndpoint } from "./endpoint";
import { auditEndpoint, listChanges } from "./note-change";
import { deleteEndpoint, lockEndpoints } from "./store";

/** An endpoint that the list asks for; `isPlain` when it said nothing but the URL. */
export type ListedEndpoint = EndpointWish & { readonly isPlain: boolean };

type Replaced = {
	/** Whether anything is different now. */
	readonly hasChanged: boolean;
	/** The secrets of added endpoints, by id; told here and never again. */
	readonly secrets: ReadonlyMap<string, string>;
};

/** Call it under the company's lock, with URLs that have been checked; the company's next version is the caller's to write. */
export async function replaceEndpoints(
	tx: Tx,
	{
		envelope,
		doer,
		resumeProbe,
	}: { readonly envelope: Envelope; readonly doer: Doer; readonly resumeProbe: ResumeProbe },
	tenantId: string,
	list: readonly ListedEndpoint[],
): Promise<Replaced> {
	const present = await lockEndpoints(tx, tenantId);
	const secrets = new Map<string, string>();
	let hasChanged = false;
	for (const wish of list) {
		const at = present.findIndex(({ url }) => url === wish.url);
		const [known] = at < 0 ? [] : present.splice(at, 1);
		if (!known) {
			const { endpoint, secret } = await addEndpoint(tx, envelope, tenantId, wish);
			secrets.set(endpoint.id, secret);
			await auditEndpoint(tx, doer, "create", endpoint);
			hasChanged = true;
			continue;
		}
		const wanted = wish.isPlain ? known : applyWish(known, wish);
		const changed = listChanges(known, wanted);
		if (changed.length === 0) continue;
		await auditEndpoint(tx, doer, "patch", await writeChange(tx, resumeProbe, known, wanted), changed);
		hasChanged = true;
	}
	for (const endpoint of present) {
		await deleteEndpoint(tx, endpoint.id);
		await auditEndpoint(tx, doer, "delete", endpoint);
		hasChanged = true;
	}
	return { hasChanged, secrets };
}

function applyWish(known: WebhookEndpoint, wish: EndpointWish): WebhookEndpoint {
	return {
		...known,
		events: wish.events,
		description: wish.description ?? null,
		rateLimitPerSecond: wish.rateLimitPerSecond ?? null,
		ordering: wish.ordering ?? "per_document",
		recovery: wish.recovery ?? "automatic",
	};
}
