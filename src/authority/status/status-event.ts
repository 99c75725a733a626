/** The event `authority.status_changed`: once for each change and tenant that has asked for it. */

import type { NewEvent } from "../../events/webhooks";
import type { Tx } from "../../platform/database";
import { newId } from "../../platform/values";
import type { AuthorityEnvironment } from "../client";
import type { Condition, Status } from "./status";
import { findAskingTenants } from "./store";

const PATTERNS = ["authority.status_changed", "authority.*"];

/**
 * The events of a change, to be written in its transaction.
 * Gap: told are tenants that issue in this environment of the authority and have an endpoint that asks for it, others' feeds stay as they
 * are; and told is of all services together, not of each.
 */
export async function findNews(
	tx: Tx,
	environment: AuthorityEnvironment,
	from: Status,
	after: Condition,
): Promise<NewEvent[]> {
	const tenantIds = await findAskingTenants(tx, environment, PATTERNS);
	// The change itself has an id, the same for all who hear of it.
	const changeId = newId();
	const authorityStatus = { authorityEnvironment: environment, from, contingency: after.contingency };
	return tenantIds.map((tenantId) => ({
		...{ event: "authority.status_changed", tenantId, docId: changeId, trackId: changeId },
		...{ occurredAt: after.since, status: after.status, authorityStatus },
	}));
}
