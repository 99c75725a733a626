/** Jobs and answers as messages: as text where a spelling is known and leaves none out, else as they are. */
import { pack, type Spelling, unpack } from "./as-text";
import type { Done, ToThread } from "./protocol";
import type { Finished } from "./start-thread";

export type Spellings<Job, Answer> = { readonly jobs: Spelling<Job>; readonly answers: Spelling<Answer> };

type Task<Job> = { readonly id: number; readonly job: Job };

export function toMessage<Job>(tasks: readonly Task<Job>[], spelling?: Spelling<Job>): ToThread<never, Job> {
	const packed =
		spelling &&
		pack(
			tasks.map(({ id, job }) => ({ id, value: job })),
			spelling.write,
		);
	return packed
		? { kind: "written-jobs", ...packed }
		: { kind: "jobs", jobs: tasks.map(({ id, job }) => ({ id, job })) };
}

/** Throws when answers came as text and there is no spelling to read them by. */
export function toDone<Answer>(finished: Finished<Answer>, spelling?: Spelling<Answer>): readonly Done<Answer>[] {
	if (finished.kind === "done") return finished.done;
	if (!spelling) throw new Error("answers came as text, and nobody here can read it");
	return unpack(finished, spelling.read).map(({ id, value }) => ({ id, answer: value }));
}
