/** Whose endpoints are never called. */
import type { CompanyRow } from "../../companies";

/** True for the public sandbox's demo tenants: anybody can be one, so their endpoints are never called. The event feed has it all. */
export function isMuted(company: Pick<CompanyRow, "environment" | "plan"> | undefined): boolean {
	return company?.environment === "public-sandbox" && company.plan === "demo";
}
