import { Problem } from "../platform/problem";

/** The problem of a company that cannot issue yet, or not now. `missing` names what it lacks; `active` that it is suspended. */
export function configMissing(tenantId: string, missing: readonly string[]): Problem {
	const lacks = missing.filter((name) => name !== "active");
	const sentences = [
		...(lacks.length > 0 ? [`The company lacks: ${lacks.join(", ")}.`] : []),
		...(missing.includes("active") ? ["The company is not active: it issues nothing until it is resumed."] : []),
	];
	const extensions = { missing, fix: `/v1/company/${tenantId}` };
	return new Problem("tenant-config-missing", { detail: sentences.join(" "), extensions });
}
