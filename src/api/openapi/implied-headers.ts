/** Headers of an answer that follow from what its operation declares elsewhere, so that no operation has to tell them again. */
import type { Operation } from "../../platform/operation";

/** What a 304 has of the answer whose body it leaves out. Source: RFC 9110, 15.4.5. */
const KEPT_BY_304: readonly string[] = ["etag", "cache-control", "content-language"];

/** By name, with their sentences; what the answer itself declares comes before them. */
export function impliedHeaders({ answers, parameters = [] }: Operation, status: string): Record<string, string> {
	if (status === "304") {
		const whole = Object.entries(answers[200]?.headers ?? {});
		return Object.fromEntries(whole.filter(([name]) => KEPT_BY_304.includes(name.toLowerCase())));
	}
	const isRepeatable = parameters.some(({ name }) => name === "Idempotency-Key");
	if (status !== "200" || !isRepeatable) return {};
	// A repeat is answered with what was stored of the first answer, its headers included; it is not waited for.
	const { "Preference-Applied": _, ...first } = (answers[201] ?? answers[202])?.headers ?? {};
	return { ...first, "Idempotency-Replayed": "`true` for a repeat." };
}
