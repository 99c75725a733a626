/** The embedded server cannot be made, started or stopped; the message has what its programs said. */
export class EmbeddedServerError extends Error {
	constructor(message: string, cause?: unknown) {
		super(message, { cause });
		this.name = "EmbeddedServerError";
	}
}
