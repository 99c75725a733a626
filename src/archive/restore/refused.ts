/** The index cannot be made out of this archive, or not in this database. Nothing was changed. */
export class RestoreRefusedError extends Error {
	constructor(
		readonly reason: string,
		cause?: unknown,
	) {
		super(`the archive's index was not restored: ${reason}`, { cause });
		this.name = "RestoreRefusedError";
	}
}
