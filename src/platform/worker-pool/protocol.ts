import { type Fault, Message, Problem, type ProblemSlug } from "../problem";

/** Messages between a pool and its threads. Everything is plain data, as text where both sides know its encoding. */
export type ToThread<Setup, Job> =
	| { readonly kind: "setup"; readonly setup: Setup }
	| { readonly kind: "jobs"; readonly jobs: readonly { readonly id: number; readonly job: Job }[] }
	| ({ readonly kind: "written-jobs" } & Packed)
	| { readonly kind: "stop" };

export type FromThread<Answer> =
	| { readonly kind: "ready" }
	| { readonly kind: "setup-failed"; readonly message: string }
	/** For all jobs of one message. */
	| { readonly kind: "done"; readonly done: readonly Done<Answer>[] }
	/** The same when every job succeeded. */
	| ({ readonly kind: "written-answers" } & Packed);

export type Finished<Answer> = Extract<FromThread<Answer>, { readonly kind: "done" | "written-answers" }>;

export type Done<Answer> =
	| { readonly id: number; readonly answer: Answer }
	| { readonly id: number; readonly failure: Failure };

/** An error as data: a Problem keeps what the caller gets, any other error its name, message and stack. */
export type Failure =
	| {
			readonly problem: true;
			readonly slug: ProblemSlug;
			readonly detail: Message;
			readonly faults: readonly Fault[];
			readonly extensions: Readonly<Record<string, unknown>>;
	  }
	| { readonly problem: false; readonly name: string; readonly message: string; readonly stack?: string };

/** Jobs and answers as messages: as text where an encoding is known and covers all values, otherwise as objects. */

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

/** Throws an Error when answers came as text and there is no encoding. */
export function toDone<Answer>(finished: Finished<Answer>, spelling?: Spelling<Answer>): readonly Done<Answer>[] {
	if (finished.kind === "done") return finished.done;
	if (!spelling) throw new Error("answers came as text without an encoding");
	return unpack(finished, spelling.read).map(({ id, value }) => ({ id, answer: value }));
}

/**
 * Values that cross between threads as text: short parts as one JSON text, long ones as they are.
 *
 * A message of two texts is copied as bytes; one of objects is cloned member by member, which costs twice as much on both sides for a
 * document and its key.
 *
 *   head   [[id, head of the first, [lengths of its texts]], [id, head of the second, …], …]
 *   text   the long texts, concatenated
 */

export type AsText = {
	/** Any JSON value. */
	readonly head: unknown;
	readonly texts: readonly string[];
};

/** How values are written as text. `write` returns undefined for a value that crosses as an object. */
export type Spelling<Value> = {
	readonly write: (value: Value) => AsText | undefined;
	readonly read: (written: AsText) => Value;
};

/** Jobs or answers of one message. */
type Packed = { readonly head: string; readonly text: string };
type Entry = readonly [id: number, head: unknown, lengths: readonly number[]];

/** Writes all values, or none when one of them cannot be written. */
export function pack<Value>(
	values: readonly { readonly id: number; readonly value: Value }[],
	write: Spelling<Value>["write"],
): Packed | undefined {
	const entries: Entry[] = [];
	let text = "";
	for (const { id, value } of values) {
		const written = write(value);
		if (!written) return undefined;
		entries.push([id, written.head, written.texts.map((one) => one.length)]);
		for (const one of written.texts) text += one;
	}
	return { head: JSON.stringify(entries), text };
}

export function unpack<Value>({ head, text }: Packed, read: Spelling<Value>["read"]): { id: number; value: Value }[] {
	let at = 0;
	return (JSON.parse(head) as Entry[]).map(([id, own, lengths]) => {
		const texts = lengths.map((length) => {
			at += length;
			return text.slice(at - length, at);
		});
		return { id, value: read({ head: own, texts }) };
	});
}

export function toFailure(error: unknown): Failure {
	if (error instanceof Problem) {
		const { slug, detail, faults, extensions } = error;
		return { problem: true, slug, detail, faults, extensions };
	}
	if (error instanceof Error) return { problem: false, name: error.name, message: error.message, stack: error.stack };
	return { problem: false, name: "Error", message: String(error) };
}

export function fromFailure(failure: Failure): Error {
	if (failure.problem) {
		const { slug, detail, faults, extensions } = failure;
		return new Problem(slug, {
			detail: Message.of(detail),
			faults: faults.map((fault) => ({ ...fault, detail: Message.of(fault.detail) })),
			extensions,
		});
	}
	const error = new Error(failure.message);
	error.name = failure.name;
	if (failure.stack) error.stack = failure.stack;
	return error;
}
