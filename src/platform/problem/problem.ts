import { catalogue, type ProblemSlug } from "./catalogue";
import { Message, msg } from "./message";

export type ProblemOptions = {
	/** Written for the caller; never contains internal text. */
	detail?: Message;
	/** All validation failures; answered as `errors`. */
	faults?: readonly Fault[];
	/** Further members of the problem document. */
	extensions?: Readonly<Record<string, unknown>>;
	/** Response headers, such as `Retry-After`. */
	headers?: Readonly<Record<string, string>>;
	/** The underlying error, for the log only. */
	cause?: unknown;
};

/** Most violations in one answer, however large the body. */
export const FAULTS_MAX = 100;

/** An error that the caller can act on. It knows no HTTP framework; `src/api/server` answers it. */
export class Problem extends Error {
	readonly slug: ProblemSlug;
	readonly detail: Message;
	readonly faults: readonly Fault[];
	readonly extensions: Readonly<Record<string, unknown>>;
	readonly headers: Readonly<Record<string, string>>;

	constructor(slug: ProblemSlug, options: ProblemOptions = {}) {
		const all = options.faults ?? [];
		const faults = all.slice(0, FAULTS_MAX);
		const detail =
			options.detail ?? (all.length > 0 ? countFaults(all.length) : new Message(catalogue[slug].cause, []));
		super(`${slug}: ${detail}`, { cause: options.cause });
		this.name = "Problem";
		this.slug = slug;
		this.detail = detail;
		this.faults = faults;
		this.extensions = options.extensions ?? {};
		this.headers = { ...challengeOf(slug), ...options.headers };
	}

	with(headers: Readonly<Record<string, string>>): Problem {
		const { slug, detail, faults, extensions, cause } = this;
		return new Problem(slug, { detail, faults, extensions, headers: { ...this.headers, ...headers }, cause });
	}

	get status(): number {
		return catalogue[this.slug].status;
	}
}

/** A refusal of credentials without a challenge of its own is about a session. Source: RFC 9110, 15.5.2. */
function challengeOf(slug: ProblemSlug): Readonly<Record<string, string>> {
	return catalogue[slug].status === 401 ? { "www-authenticate": 'Session realm="console"' } : {};
}

function countFaults(count: number): Message {
	// Checks stop looking at a thousand.
	if (count >= 1_000) return msg`${FAULTS_MAX} fields are invalid, and at least ${count - FAULTS_MAX} more.`;
	if (count > FAULTS_MAX) return msg`${FAULTS_MAX} fields are invalid, and ${count - FAULTS_MAX} more.`;
	return count === 1 ? msg`1 field is invalid.` : msg`${count} fields are invalid.`;
}

/** One violation in a request. All violations of a request are answered together. */
export type Fault = {
	/** RFC 6901 pointer into the body; `#/headers/…`, `#/query/…` and `#/path/…` for the rest of the request. */
	readonly pointer: string;
	/** Stable name of the rule, in kebab-case. */
	readonly code: string;
	readonly detail: Message;
	readonly [extra: string]: unknown;
};

/** One segment of a JSON pointer, escaped. Source: RFC 6901, section 3. */
export function pointerSegment(key: string | number): string {
	return String(key).replace(/~/g, "~0").replace(/\//g, "~1");
}

export function nameOfSegment(segment: string): string {
	return segment.replace(/~1/g, "/").replace(/~0/g, "~");
}
