/** A store that fails while a checkpoint is made is told apart from everything else that can go wrong then: it is asked again later. */
import { type Archive, ArchiveConflictError, ObjectMissingError } from "../archive";

/** The archive's store has not given or taken what a checkpoint is made of. */
export class StoreFailedError extends Error {
	constructor(cause: unknown) {
		super(`the archive's store failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
		this.name = "StoreFailedError";
	}
}

/** The same store, whose failures are a StoreFailedError; that an object is missing, or another one, is its answer. */
export function tellFailures(archive: Archive): Archive {
	return {
		...archive,
		putOnce: (key, bytes, keep) => archive.putOnce(key, bytes, keep).catch(tell),
		get: (key, versionId) => archive.get(key, versionId).catch(tell),
		async *list(prefix) {
			try {
				yield* archive.list(prefix);
			} catch (error) {
				tell(error);
			}
		},
	};
}

function tell(error: unknown): never {
	const isAnswer = error instanceof ArchiveConflictError || error instanceof ObjectMissingError;
	throw isAnswer ? error : new StoreFailedError(error);
}
