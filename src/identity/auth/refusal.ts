/** The two refusals of the guard: the caller is unknown, or the guard cannot decide now. */
import { codeOf, isConnectionFailure, isRolledBackRace } from "../../platform/database";
import { type Message, msg, Problem } from "../../platform/problem";

/** One answer for every invalid credential, so that the difference reveals nothing. */
export function unauthorised(detail: Message): Problem {
	return new Problem("unauthorised", { detail, headers: { "www-authenticate": 'Bearer error="invalid_token"' } });
}

export function unavailable(cause?: unknown): Problem {
	return new Problem("service-unavailable", {
		detail: msg`Credentials cannot be checked at the moment.`,
		headers: { "retry-after": "1" },
		cause,
	});
}

/** Whether an error is the second refusal. */
export function isUnavailable(error: unknown): boolean {
	return error instanceof Problem && error.slug === "service-unavailable";
}

/** Runs database work of the guard. Throws: service-unavailable when the database, not the statement, failed. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw isDatabaseFailure(error) ? unavailable(error) : error;
	}
}

/** Source: PostgreSQL, Appendix A: 53 insufficient resources, 57 operator intervention (including time-outs), 58 system error. */
function isDatabaseFailure(error: unknown): boolean {
	return isConnectionFailure(error) || isRolledBackRace(error) || /^(53|57|58)...$/.test(codeOf(error));
}
