import { type Done, type FromThread, pack, type Spelling, type ToThread, toFailure, unpack } from "./protocol";

declare const self: Worker;

/**
 * The thread's side: sets up once, reports ready, then handles jobs one after another until it is asked to stop. Jobs that came as text are
 * answered as text.
 */
export function serveJobs<Setup, Job, Answer>(
	setUp: (setup: Setup) => Promise<(job: Job) => Promise<Answer>>,
	spelling?: { readonly jobs: Spelling<Job>; readonly answers: Spelling<Answer> },
): void {
	let handle: ((job: Job) => Promise<Answer>) | undefined;
	const post = (message: FromThread<Answer>) => self.postMessage(message);
	let before: Promise<void> = Promise.resolve();
	// Messages wait for each other: a later one must not run while a job awaits something.
	self.onmessage = ({ data }: MessageEvent<ToThread<Setup, Job>>) => {
		if (data.kind === "stop") process.exit(0);
		before = before.then(() => answer(data));
	};

	async function answer(message: Exclude<ToThread<Setup, Job>, { kind: "stop" }>): Promise<void> {
		if (message.kind === "setup") {
			try {
				handle = await setUp(message.setup);
				post({ kind: "ready" });
			} catch (error) {
				post({ kind: "setup-failed", message: String(error) });
			}
			return;
		}
		const written = message.kind === "written-jobs" ? spellingOf(spelling) : undefined;
		const jobs =
			message.kind === "jobs"
				? message.jobs
				: unpack(message, spellingOf(spelling).jobs.read).map(({ id, value }) => ({ id, job: value }));
		const done: Done<Answer>[] = [];
		for (const { id, job } of jobs) {
			try {
				if (!handle) throw new Error("a job came before the set-up");
				done.push({ id, answer: await handle(job) });
			} catch (error) {
				done.push({ id, failure: toFailure(error) });
			}
		}
		const answers = done.flatMap((one) => ("answer" in one ? [{ id: one.id, value: one.answer }] : []));
		const packed = written && answers.length === done.length ? pack(answers, written.answers.write) : undefined;
		post(packed ? { kind: "written-answers", ...packed } : { kind: "done", done });
	}
}

function spellingOf<Both>(spelling: Both | undefined): Both {
	if (!spelling) throw new Error("jobs came as text to a thread that cannot read it");
	return spelling;
}
