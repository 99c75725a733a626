/**
 * What further processes have counted, which the first one tells with its own: a port has one owner, and their requests are on nobody else's. It
 * asks over the channel that a process has to one that it has started.
 */
import { withTimeout } from "../../platform/concurrency";
import type { MetricsShare } from "../../platform/telemetry";

type Question = { readonly id: number };
type Answer = Question & { readonly share: MetricsShare };

type Child = Pick<Bun.Subprocess, "send">;

const TIMEOUT_MS = 1_000;

/** The end of the process that asks. */
export function createShareQuestions() {
	const asked = new Map<number, (share: MetricsShare) => void>();
	let nextQuestion = 1;

	return {
		hear({ id, share }: Answer): void {
			asked.get(id)?.(share);
		},
		/** Undefined of one that is too busy, or has ended since. */
		async ask(child: Child): Promise<MetricsShare | undefined> {
			const id = nextQuestion++;
			const answer = Promise.withResolvers<MetricsShare | undefined>();
			asked.set(id, answer.resolve);
			try {
				child.send({ id } satisfies Question);
				return await withTimeout(answer.promise, TIMEOUT_MS, () => undefined);
			} catch {
				return undefined;
			} finally {
				asked.delete(id);
			}
		},
	};
}

/** The end of the process that is asked. */
export function answerShareQuestions(count: () => Promise<MetricsShare>): void {
	process.on("message", ({ id }: Question) => {
		void count().then((share) => process.send?.({ id, share } satisfies Answer));
	});
}
