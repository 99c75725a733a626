/** The child side of `startChild`: a process that answers the bench's questions. */

export type ToChild<Question> = { readonly id: number; readonly question: Question };
export type FromChild<Answer> =
	| { readonly id: number; readonly answer: Answer }
	| { readonly id: number; readonly error: string };

/** Answers until the bench exits. Errors are sent to the bench. */
export function answerQuestions<Question, Answer>(handle: (question: Question) => Promise<Answer> | Answer): void {
	const reply = (message: FromChild<Answer>) => process.send?.(message);
	process.on("message", async ({ id, question }: ToChild<Question>) => {
		try {
			reply({ id, answer: await handle(question) });
		} catch (error) {
			reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
		}
	});
	process.on("disconnect", () => process.exit(0));
}
