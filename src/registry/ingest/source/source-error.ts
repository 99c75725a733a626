/** The source cannot be loaded: it could not be read (`failed`), or what was read must not replace what is served (`refused`). */
export class SourceError extends Error {
	constructor(
		readonly result: "failed" | "refused",
		message: string,
		cause?: unknown,
	) {
		super(message, { cause });
		this.name = "SourceError";
	}
}
