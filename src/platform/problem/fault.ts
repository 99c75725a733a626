/** One validation failure: where, which rule, and a sentence. All faults of a request are told together. */
export type Fault = {
	/** RFC 6901 pointer into the body; `#/headers/…`, `#/query/…` and `#/path/…` for the rest of the request. */
	readonly pointer: string;
	/** Stable name of the rule, kebab-case. */
	readonly code: string;
	readonly detail: string;
	readonly [extra: string]: unknown;
};

/** One segment of a JSON pointer, escaped. Source: RFC 6901, section 3. */
export function pointerSegment(key: string | number): string {
	return String(key).replace(/~/g, "~0").replace(/\//g, "~1");
}

/** The name that a segment stands for. */
export function nameOfSegment(segment: string): string {
	return segment.replace(/~1/g, "/").replace(/~0/g, "~");
}
