import { isConnectionFailure, isCutShort, isRolledBackRace, isServerUnable } from "../../platform/database";
import type { Operation } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";

export type Place = { readonly baseUrl: string; readonly instance: string; readonly requestId: string };

/**
 * The only translator of errors into answers: a Problem says what it says; a database that is away, cannot work or gives a
 * statement up for others' sake is `service-unavailable`; anything else is a defect, logged whole and answered without its message. What the
 * operation adds to its problems comes last.
 */
export function toProblemResponse(
	error: unknown,
	place: Place,
	log: Log,
	{ extendProblem = (problem) => problem }: Pick<Operation, "extendProblem"> = {},
): Response {
	const problem = extendProblem(toProblem(error, place, log));
	return new Response(JSON.stringify(problem.toDocument(place)), {
		status: problem.status,
		headers: {
			"content-type": "application/problem+json; charset=utf-8",
			"cache-control": "no-store",
			...problem.headers,
		},
	});
}

function toProblem(error: unknown, place: Place, log: Log): Problem {
	if (error instanceof Problem) return error;
	if (isConnectionFailure(error)) {
		log.warn({ requestId: place.requestId, err: error }, "the database is away");
		return new Problem("service-unavailable", {
			detail: "The database cannot be reached.",
			headers: { "retry-after": "1" },
		});
	}
	if (isServerUnable(error)) {
		log.error({ requestId: place.requestId, err: error }, "the database cannot do its work: its operator has to look");
		return new Problem("service-unavailable", {
			detail: "The database cannot do its work now.",
			headers: { "retry-after": "5" },
		});
	}
	if (isCutShort(error) || isRolledBackRace(error)) {
		log.warn(
			{ requestId: place.requestId, instance: place.instance, err: error },
			"the database gave a request's statement up",
		);
		return new Problem("service-unavailable", {
			detail: "The database is busy with what stands in the way of this.",
			headers: { "retry-after": "1" },
		});
	}
	log.error({ requestId: place.requestId, instance: place.instance, err: error }, "a request failed inside");
	return new Problem("internal-error");
}
