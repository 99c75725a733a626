import { isConnectionFailure, isCutShort, isRolledBackRace, isServerUnable } from "../../platform/database";
import type { Operation } from "../../platform/operation";
import { chooseLanguage, msg, Problem, type ProblemContext, toProblemDocument } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";

/**
 * Turns every error into an answer. A Problem is answered as it is. A database that is away, cannot work or has cancelled a statement gives
 * `service-unavailable`. Anything else is a defect: it is logged completely and answered without its message. `extendProblem` of the operation is
 * applied last, and its `renderProblem` may answer in another form. The document is in the language that the request prefers, else in English.
 */
export function toProblemResponse(
	error: unknown,
	context: ProblemContext,
	log: Log,
	{ extendProblem = (problem) => problem, renderProblem }: Pick<Operation, "extendProblem" | "renderProblem"> = {},
	request?: Request,
): Response {
	const problem = extendProblem(toProblem(error, context, log));
	const rendered = request && renderProblem?.(problem, request, context.requestId);
	if (rendered) return rendered;
	const language = chooseLanguage(request?.headers.get("accept-language") ?? null);
	return new Response(JSON.stringify(toProblemDocument(problem, { ...context, language })), {
		status: problem.status,
		headers: {
			"content-type": "application/problem+json; charset=utf-8",
			"content-language": language,
			"cache-control": "no-store",
			...problem.headers,
		},
	});
}

function toProblem(error: unknown, context: ProblemContext, log: Log): Problem {
	if (error instanceof Problem) return error;
	if (isConnectionFailure(error)) {
		log.warn({ event: "database.unreachable", requestId: context.requestId, err: error }, "database unreachable");
		return new Problem("service-unavailable", {
			detail: msg`The database is unreachable.`,
			headers: { "retry-after": "1" },
		});
	}
	if (isServerUnable(error)) {
		log.error({ event: "database.unable", requestId: context.requestId, err: error }, "database server cannot work");
		return new Problem("service-unavailable", {
			detail: msg`The database cannot work at the moment.`,
			headers: { "retry-after": "5" },
		});
	}
	if (isCutShort(error) || isRolledBackRace(error)) {
		const failure = { requestId: context.requestId, instance: context.instance, err: error };
		log.warn({ event: "database.statement_cancelled", ...failure }, "database cancelled a statement");
		return new Problem("service-unavailable", {
			detail: msg`The database is busy with conflicting work.`,
			headers: { "retry-after": "1" },
		});
	}
	const failure = { requestId: context.requestId, instance: context.instance, err: error };
	log.error({ event: "request.failed", ...failure }, "request failed with an internal error");
	return new Problem("internal-error");
}
