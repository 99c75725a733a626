/**
 * The operator's changes of a company's status.
 *
 *     active ◀──resume── suspended    issues nothing (422 `tenant-config-missing`, missing `active`); tokens still work, so that it can read
 *        │ ▲
 *        │ └──resume── closed         also ends its credentials and tokens at once and allows no change; the list of the owner's companies
 *        └──close──▶                  still shows it
 *
 * In both states a certification test set stops sending until the company is resumed, but what it has sent is decided. Documents acknowledged
 * earlier continue to their verdicts. Gap: a closed company keeps its RNC and its numbers. After resuming it gets new credentials from its
 * owner's key.
 */

import { lockCompany } from "../events/endpoints";
import { type Doer, recordAudit } from "../identity/audit-log";
import type { Access } from "../identity/auth";
import type { Sql } from "../platform/database";
import type { CompanyRow } from "./company";
import { findCompany, updateStatus } from "./store";

export type StatusChange = "suspend" | "resume" | "close";

const STATUS: Readonly<Record<StatusChange, CompanyRow["status"]>> = {
	suspend: "suspended",
	resume: "active",
	close: "closed",
};

export type StatusChanged = { readonly status: CompanyRow["status"]; readonly hasChanged: boolean };

/** Undefined if there is no such company. Suspending a closed company has no effect. */
export async function changeStatus(
	{ sql, access }: { readonly sql: Sql; readonly access: Pick<Access, "retireClients"> },
	tenantId: string,
	change: StatusChange,
	doer: Doer,
): Promise<StatusChanged | undefined> {
	return sql.begin(async (tx) => {
		await lockCompany(tx, tenantId);
		const company = await findCompany(tx, tenantId);
		if (!company) return undefined;
		const { status: before } = company;
		const status = change === "suspend" && before === "closed" ? before : STATUS[change];
		if (status === before) return { status, hasChanged: false };
		await updateStatus(tx, tenantId, status);
		if (status === "closed") await access.retireClients(tx, tenantId, doer.at);
		const action = `company.${change}`;
		const details = { before, status };
		await recordAudit(tx, { ...doer, action, subject: tenantId, tenantId, changed: ["status"], details });
		return { status, hasChanged: true };
	});
}
