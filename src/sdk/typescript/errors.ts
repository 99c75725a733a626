/** What the library throws. Every error is a `SelloError`; an answer of the service is an `ApiError` of one of its classes. */

export class SelloError extends Error {
	override name = "SelloError";
}

/** One violated rule of a request; further members depend on the rule. */
export type Violation = { pointer: string; code: string; detail: string; [further: string]: unknown };

export type Problem = {
	type?: string;
	title?: string;
	detail?: string;
	requestId?: string;
	errors?: Violation[];
	[further: string]: unknown;
};

/** The service refused a request, or failed. Source: RFC 9457. */
export class ApiError extends SelloError {
	override name = "ApiError";
	readonly status: number;
	/** The last part of the problem's `type`: decide by it. Empty if the answer was no problem document, as of a proxy. */
	readonly slug: string;
	readonly title: string;
	readonly detail: string;
	/** Every violated rule, with a pointer into the request. */
	readonly errors: Violation[];
	/** For support. */
	readonly requestId: string | undefined;
	/** The key that all attempts had: repeat with it, and nothing is done twice. */
	readonly idempotencyKey: string | undefined;
	/** Seconds after which a repeat may succeed. */
	readonly retryAfter: number | undefined;
	/** The whole document, with the members of its slug. */
	readonly problem: Problem;

	constructor(
		status: number,
		problem: Problem,
		about: { idempotencyKey?: string; requestId?: string; retryAfter?: number },
	) {
		const title = problem.title ?? `HTTP ${status}`;
		super(problem.detail ? `${title}: ${problem.detail}` : title);
		this.status = status;
		this.slug = slugOf(problem);
		this.title = title;
		this.detail = problem.detail ?? "";
		this.errors = problem.errors ?? [];
		this.requestId = problem.requestId ?? about.requestId;
		this.idempotencyKey = about.idempotencyKey;
		this.retryAfter = about.retryAfter;
		this.problem = problem;
	}
}

export const slugOf = ({ type }: Problem): string => (type ? (type.split("/").pop() ?? "") : "");

/** 400 and 422: correct the request. */
export class ValidationError extends ApiError {
	override name = "ValidationError";
}
/** 401: a key, a secret or a token is wrong. */
export class AuthenticationError extends ApiError {
	override name = "AuthenticationError";
}
/** 403: the credentials lack a scope or a right. */
export class PermissionError extends ApiError {
	override name = "PermissionError";
}
/** 404. Another company's id is not found either. */
export class NotFoundError extends ApiError {
	override name = "NotFoundError";
}
/** 409 and 412: the resource is in another state. */
export class ConflictError extends ApiError {
	override name = "ConflictError";
}
/** 422 `authority-rejected`: the document exists, and the authority has rejected it. */
export class RejectedError extends ApiError {
	override name = "RejectedError";
	readonly authorityCode = String(this.problem.authorityCode ?? "");
	readonly docId = String(this.problem.docId ?? "");
}
/** 429 after which the wait would be too long. */
export class RateLimitError extends ApiError {
	override name = "RateLimitError";
}
/** 5xx after all attempts. */
export class ServerError extends ApiError {
	override name = "ServerError";
}

/** No answer, or half of one. The request may have been done: repeat it with the same key. */
export class ConnectionError extends SelloError {
	override name = "ConnectionError";
	readonly idempotencyKey: string | undefined;

	constructor(message: string, about: { idempotencyKey?: string; cause?: unknown } = {}) {
		super(message, { cause: about.cause });
		this.idempotencyKey = about.idempotencyKey;
	}
}

/** A request or a wait took longer than `timeoutMs`. */
export class TimeoutError extends SelloError {
	override name = "TimeoutError";
	readonly idempotencyKey: string | undefined;
	/** The document that was waited for. */
	readonly docId: string | undefined;

	constructor(message: string, about: { idempotencyKey?: string; docId?: string } = {}) {
		super(message);
		this.idempotencyKey = about.idempotencyKey;
		this.docId = about.docId;
	}
}

/** A webhook is not from the service, was changed, or is old. Answer 400 and do nothing. */
export class SignatureError extends SelloError {
	override name = "SignatureError";
}

const CLASSES: Record<number, typeof ApiError> = {
	400: ValidationError,
	401: AuthenticationError,
	403: PermissionError,
	404: NotFoundError,
	409: ConflictError,
	412: ConflictError,
	422: ValidationError,
	429: RateLimitError,
};

export function toApiError(
	status: number,
	problem: Problem,
	about: { idempotencyKey?: string; requestId?: string; retryAfter?: number },
): ApiError {
	const isRejected = status === 422 && slugOf(problem) === "authority-rejected";
	const Class = isRejected ? RejectedError : (CLASSES[status] ?? (status >= 500 ? ServerError : ApiError));
	return new Class(status, problem, about);
}
