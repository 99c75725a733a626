/**
 * Load shedding: an overloaded operation refuses before credentials are checked.
 *
 * If several times more requests come than can be handled, the cost of a refusal decides how much is left for the others. So the listener's own router
 * brings requests of these operations here. Only while they are overloaded is anything done, without framework, guard and a log line for each.
 * A refusal reveals only what an anonymous caller may know.
 *
 * The body is not read either, and the answer is given within the listener's own call: a promise, a buffer and a turn of the queue would be a third of
 * the cost. The listener discards the rest of a body, however long, and keeps the connection.
 */
import { NO_SNIFFING, type Operation } from "../../platform/operation";
import { chooseLanguage, type Language, type Problem, toProblemDocument } from "../../platform/problem";
import { newId } from "../../platform/values";
import { clientRequestId } from "./request-state";

export type SheddingSettings = {
	readonly operations: readonly Operation[];
	readonly baseUrl: string;
	/** `startedAt` is in milliseconds of `performance.now`. */
	readonly onRefused: (operation: Operation, problem: Problem, startedAt: number) => void;
	readonly slowPath: (request: Request, server: Bun.Server<undefined>) => Handled;
	/** While true, every request takes the slow path. */
	readonly isDraining: () => boolean;
};

type Handled = Response | Promise<Response>;
export type ShedRoutes = Record<string, { readonly POST: SheddingSettings["slowPath"] }>;

/** Throws for a shedding operation that is not a POST at a path without parameters. */
export function createShedRoutes(deps: SheddingSettings): ShedRoutes {
	return Object.fromEntries(
		deps.operations.flatMap((operation) => {
			const { refuseAtOnce, method, path } = operation;
			if (!refuseAtOnce) return [];
			if (method !== "POST" || /[{:]/.test(path)) throw new Error(`${operation.id} cannot shed load`);
			const inEnglish = createWriter(deps.baseUrl, path, "en");
			const inSpanish = createWriter(deps.baseUrl, path, "es");
			const write: Writer = (problem, request) => (prefersSpanish(request) ? inSpanish : inEnglish)(problem, request);
			const route: SheddingSettings["slowPath"] = (request, server) => {
				const problem = deps.isDraining() ? undefined : refuseAtOnce();
				return problem ? refuse(deps, operation, write, problem, request) : deps.slowPath(request, server);
			};
			return [[path, { POST: route }]];
		}),
	);
}

function refuse(
	{ onRefused }: SheddingSettings,
	operation: Operation,
	write: Writer,
	problem: Problem,
	request: Request,
): Response {
	const startedAt = performance.now();
	const response = write(problem, request.headers);
	onRefused(operation, problem, startedAt);
	return response;
}

type Writer = (problem: Problem, sent: Headers) => Response;

function prefersSpanish(sent: Headers): boolean {
	return chooseLanguage(sent.get("accept-language")) === "es";
}

/** Refusals by the same problem differ only in their ids, so text and headers are built once in each language. */
function createWriter(baseUrl: string, instance: string, language: Language): Writer {
	let last: Problem | undefined;
	let [before, after]: readonly [string, string] = ["", ""];
	let headers = new Headers();
	const prepare = (problem: Problem): void => {
		last = problem;
		const placeholder = newId();
		const [start = "", end = ""] = JSON.stringify(
			toProblemDocument(problem, { baseUrl, instance, requestId: placeholder, language }),
		).split(placeholder);
		[before, after] = [start, end];
		headers = new Headers({
			"content-type": "application/problem+json; charset=utf-8",
			"content-language": language,
			"cache-control": "no-store",
			...problem.headers,
			...NO_SNIFFING,
		});
	};
	return (problem, sent) => {
		if (problem !== last) prepare(problem);
		const stated = sent.get("x-request-id");
		const requestId = stated !== null && clientRequestId.test(stated) ? stated : newId();
		headers.set("x-request-id", requestId);
		return new Response(before + requestId + after, { status: problem.status, headers });
	};
}
