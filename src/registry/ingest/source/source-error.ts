/** The source cannot be loaded: it could not be read (`failed`), or its content must not replace the data in use (`refused`). */
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
