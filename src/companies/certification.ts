/** Whether a company may go to the authority's production environment. */
import { Problem } from "../platform/problem";

/** Whether a company has passed the authority's test set; asked of whoever keeps test sets. */
export type HasPassedTestSet = (tenantId: string) => Promise<boolean>;

export function certificationMissing(): Problem {
	const detail = "The authority's production environment needs a passed certification test set of all types.";
	return new Problem("tenant-config-missing", {
		detail,
		extensions: { missing: ["certification"], fix: "/v1/check-set-tests" },
	});
}
