/** What was signed and what the tables hold now cannot both be true. Nothing is signed over it; somebody has to look. */
export class ArchiveContradictionError extends Error {
	constructor(readonly fault: string) {
		super(`the archive's proof contradicts itself: ${fault}; nothing is signed, see admin archive verify`);
		this.name = "ArchiveContradictionError";
	}
}
