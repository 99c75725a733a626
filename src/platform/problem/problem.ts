import { catalogue, type ProblemSlug } from "./catalogue";

export type ProblemOptions = {
	/** Written for the caller; never contains internal text. */
	detail?: string;
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
	readonly detail: string;
	readonly faults: readonly Fault[];
	readonly extensions: Readonly<Record<string, unknown>>;
	readonly headers: Readonly<Record<string, string>>;

	constructor(slug: ProblemSlug, options: ProblemOptions = {}) {
		const all = options.faults ?? [];
		const faults = all.slice(0, FAULTS_MAX);
		const detail = options.detail ?? (all.length > 0 ? countFaults(all.length) : catalogue[slug].cause);
		super(`${slug}: ${detail}`, { cause: options.cause });
		this.name = "Problem";
		this.slug = slug;
		this.detail = detail;
		this.faults = faults;
		this.extensions = options.extensions ?? {};
		this.headers = options.headers ?? {};
	}

	with(headers: Readonly<Record<string, string>>): Problem {
		const { slug, detail, faults, extensions, cause } = this;
		return new Problem(slug, { detail, faults, extensions, headers: { ...this.headers, ...headers }, cause });
	}

	get status(): number {
		return catalogue[this.slug].status;
	}

	/** The problem document. Source: RFC 9457, section 3. */
	toDocument(place: { baseUrl: string; instance: string; requestId: string }): Record<string, unknown> {
		const { status, title } = catalogue[this.slug];
		return {
			type: `${place.baseUrl}/errors/${this.slug}`,
			title,
			status,
			detail: this.detail,
			instance: place.instance,
			requestId: place.requestId,
			...(this.faults.length > 0 ? { errors: this.faults } : {}),
			...this.extensions,
		};
	}
}

function countFaults(count: number): string {
	// Checks stop looking at a thousand.
	const atLeast = count >= 1_000 ? "at least " : "";
	if (count > FAULTS_MAX) return `${FAULTS_MAX} fields are invalid, and ${atLeast}${count - FAULTS_MAX} more.`;
	return count === 1 ? "1 field is invalid." : `${count} fields are invalid.`;
}

/** One violation in a request. All violations of a request are answered together. */
export type Fault = {
	/** RFC 6901 pointer into the body; `#/headers/…`, `#/query/…` and `#/path/…` for the rest of the request. */
	readonly pointer: string;
	/** Stable name of the rule, in kebab-case. */
	readonly code: string;
	readonly detail: string;
	readonly [extra: string]: unknown;
};

/** One segment of a JSON pointer, escaped. Source: RFC 6901, section 3. */
export function pointerSegment(key: string | number): string {
	return String(key).replace(/~/g, "~0").replace(/\//g, "~1");
}

export function nameOfSegment(segment: string): string {
	return segment.replace(/~1/g, "/").replace(/~0/g, "~");
}
