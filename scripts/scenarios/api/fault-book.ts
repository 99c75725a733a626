/** Collects faults: the same fault of an operation is printed a few times with its request, then only counted. */
import type { ScenarioContext } from "../run-scenarios";
import type { Answer, Request } from "./wire";

const SHOWN_PER_KIND = 3;

export type FaultBook = ReturnType<typeof createFaultBook>;

export function createFaultBook({ violate }: Pick<ScenarioContext, "violate">) {
	const counts = new Map<string, number>();
	return {
		note(name: string, fault: string, request: Request, answer: Answer, kinds: readonly string[] = []) {
			const kind = `${name}: ${fault.replace(/[0-9a-f-]{36}|\d{2,}/g, "…")}`;
			const count = (counts.get(kind) ?? 0) + 1;
			counts.set(kind, count);
			if (count > SHOWN_PER_KIND) return;
			const body = request.body === undefined ? "" : ` ${Buffer.from(request.body).toString("latin1").slice(0, 400)}`;
			const headers = request.headers.filter(([header]) => header !== "authorization" && header !== "x-api-key");
			const said = "body" in answer ? answer.body.slice(0, 400) : answer.why;
			violate(
				`${name}: ${fault} [${kinds.join(", ")}] ${request.method} ${request.target.slice(0, 160)} ${JSON.stringify(headers).slice(0, 400)}${body} → ${answer.status} ${said}`,
			);
		},
		report() {
			for (const [kind, count] of counts) if (count > SHOWN_PER_KIND) violate(`${kind}: ${count} times in all`);
		},
		kinds: () => counts.size,
	};
}
