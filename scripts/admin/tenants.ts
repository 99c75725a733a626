/** Operator commands on companies. */

import { changeStatus, findAllCompanies, type StatusChange } from "../../src/companies";
import { operatorActor } from "../../src/identity/audit-log";
import { systemClock } from "../../src/platform/values";
import { type Command, UsageError, withAccess } from "./command";

export const tenantCommands: readonly Command[] = [
	{
		usage: "tenants list",
		run: async ({ sql }) => {
			const rows = await findAllCompanies(sql);
			return {
				data: rows.map(({ tenantId, rnc, name, status, plan, environment, createdAt }) => {
					return { tenantId, rnc, name, status, plan, environment, createdAt };
				}),
			};
		},
	},
	toChange("suspend"),
	toChange("resume"),
	toChange("close"),
];

/** Exits with 1 if there was nothing to do. */
function toChange(change: StatusChange): Command {
	return {
		usage: `tenants ${change} ID`,
		run: (context, args) => {
			const tenantId = args.needId("the company's tenant id is needed; see tenants list");
			return withAccess(context, async (access) => {
				const doer = { actor: operatorActor(), at: systemClock.now() };
				const changed = await changeStatus({ sql: context.sql, access }, tenantId, change, doer);
				if (!changed) throw new UsageError(`no company has the tenant id ${tenantId}`);
				return { data: { tenantId, ...changed }, exitCode: changed.hasChanged ? 0 : 1 };
			});
		},
	};
}
