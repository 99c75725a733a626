/** Operator commands on companies. */

import { changeStatus, findAllCompanies, type StatusChange } from "../../src/companies";
import { operatorActor } from "../../src/identity/audit-log";
import { systemClock } from "../../src/platform/values";
import { needId, type Run, type Runs, UsageError, withAccess } from "./command";

export const tenantCommands = {
	"tenants list": async ({ sql }) => {
		const rows = await findAllCompanies(sql);
		return {
			data: rows.map(({ tenantId, rnc, name, status, plan, environment, createdAt }) => {
				return { tenantId, rnc, name, status, plan, environment, createdAt };
			}),
		};
	},
	"tenants suspend": toChange("suspend"),
	"tenants resume": toChange("resume"),
	"tenants close": toChange("close"),
} satisfies Runs;

/** Exits with 1 if there was nothing to do. */
function toChange(change: StatusChange): Run {
	return (context, args) => {
		const tenantId = needId(args, "expected a company's tenant id; see tenants list");
		return withAccess(context, async (access) => {
			const doer = { actor: operatorActor(), at: systemClock.now() };
			const changed = await changeStatus({ sql: context.sql, access }, tenantId, change, doer);
			if (!changed) throw new UsageError(`no company has the tenant id ${tenantId}`);
			return { data: { tenantId, ...changed }, exitCode: changed.hasChanged ? 0 : 1 };
		});
	};
}
