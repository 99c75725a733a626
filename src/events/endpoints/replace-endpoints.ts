/**
 * Replaces a tenant's endpoints with a list, when a patch of its company contains one.
 *
 *   in the list, URL known     stays, with id, secret and status; takes the list's members
 *   in the list, URL new       is added, with a new secret
 *   not in the list            is removed
 *
 * The list has each URL once. `POST /v1/webhooks` may have created several endpoints with one URL: the oldest stays and the others are removed.
 * An entry that is only a URL leaves a known endpoint as it is. An object is a whole new value, as in a merge patch: absent members take their
 * defaults.
 */
import type { Doer } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import type { Envelope } from "../../platform/secrets";
import {
	addEndpoint,
	auditEndpoint,
	listChanges,
	type ResumeProbe,
	type WantedEndpoint,
	writeChange,
} from "./change-endpoint";
import type { WebhookEndpoint } from "./endpoint";
import { deleteEndpoint, lockEndpoints } from "./store";

/** An endpoint of the list; `isPlain` if its entry is only a URL. */
export type ListedEndpoint = WantedEndpoint & { readonly isPlain: boolean };

type Replaced = {
	readonly hasChanged: boolean;
	/** The secrets of added endpoints by id. They are returned here and never again. */
	readonly secrets: ReadonlyMap<string, string>;
};

/** Call it under the company's lock, with checked URLs. The caller writes the company's next version. */
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
	for (const entry of list) {
		const at = present.findIndex(({ url }) => url === entry.url);
		const [known] = at < 0 ? [] : present.splice(at, 1);
		if (!known) {
			const { endpoint, secret } = await addEndpoint(tx, envelope, tenantId, entry);
			secrets.set(endpoint.id, secret);
			await auditEndpoint(tx, doer, "create", endpoint);
			hasChanged = true;
			continue;
		}
		const wanted = entry.isPlain ? known : applyEntry(known, entry);
		const changed = listChanges(known, wanted);
		if (changed.length === 0) continue;
		await auditEndpoint(tx, doer, "patch", await writeChange(tx, resumeProbe, known, wanted), changed);
		hasChanged = true;
	}
	for (const endpoint of present) {
		await deleteEndpoint(tx, endpoint);
		await auditEndpoint(tx, doer, "delete", endpoint);
		hasChanged = true;
	}
	return { hasChanged, secrets };
}

function applyEntry(known: WebhookEndpoint, entry: WantedEndpoint): WebhookEndpoint {
	return {
		...known,
		events: entry.events,
		description: entry.description ?? null,
		rateLimitPerSecond: entry.rateLimitPerSecond ?? null,
		ordering: entry.ordering ?? "per_document",
		recovery: entry.recovery ?? "automatic",
	};
}
