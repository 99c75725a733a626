import type { Fault, ProblemSlug } from "../problem";
import type { Packed } from "./as-text";

/** What a pool and its threads say to each other. Everything is plain data, as text where both sides know how it is written. */
export type ToThread<Setup, Job> =
	| { readonly kind: "setup"; readonly setup: Setup }
	| { readonly kind: "jobs"; readonly jobs: readonly { readonly id: number; readonly job: Job }[] }
	| ({ readonly kind: "written-jobs" } & Packed)
	| { readonly kind: "stop" };

export type FromThread<Answer> =
	| { readonly kind: "ready" }
	| { readonly kind: "setup-failed"; readonly message: string }
	/** Of all jobs of one message. */
	| { readonly kind: "done"; readonly done: readonly Done<Answer>[] }
	/** The same where every job has its answer. */
	| ({ readonly kind: "written-answers" } & Packed);

export type Done<Answer> =
	| { readonly id: number; readonly answer: Answer }
	| { readonly id: number; readonly failure: Failure };

/** An error that crossed: a Problem keeps what it tells the caller, any other error its name, message and stack. */
export type Failure =
	| {
			readonly problem: true;
			readonly slug: ProblemSlug;
			readonly detail: string;
			readonly faults: readonly Fault[];
			readonly extensions: Readonly<Record<string, unknown>>;
	  }
	| { readonly problem: false; readonly name: string; readonly message: string; readonly stack?: string };
