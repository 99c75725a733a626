/** What has become of each of several documents. */
import type { ReactNode } from "react";
import { CallError } from "../../api/call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Dialog } from "../../kit/dialog";
import { textOf } from "../../kit/states";
import { Status } from "../../kit/status";
import { Table } from "../../kit/table";
import { words } from "./words";

/** `refusal` is undefined where it went well; only then is there an answer. */
export type Outcome<Item, Answer = unknown> = {
	readonly item: Item;
	readonly answer?: Answer;
	readonly refusal: CallError | undefined;
};

/** One after another: each is tried, whatever becomes of the others. */
export async function tryEach<Item, Answer>(
	items: readonly Item[],
	act: (item: Item) => Promise<Answer>,
): Promise<Outcome<Item, Answer>[]> {
	const outcomes: Outcome<Item, Answer>[] = [];
	for (const item of items) {
		outcomes.push(
			await act(item).then(
				(answer) => ({ item, answer, refusal: undefined }),
				(error) => {
					if (error instanceof CallError) return { item, refusal: error };
					throw error;
				},
			),
		);
	}
	return outcomes;
}

type OutcomesDialogProps<One> = {
	readonly title: string;
	readonly outcomes: readonly One[];
	readonly idOf: (one: One) => string;
	readonly nameOf: (one: One) => ReactNode;
	/** Said of those where it went well. */
	readonly done: string;
	/** Buttons beside the one that closes. */
	readonly actions?: ReactNode;
	readonly onClose: () => void;
};

export function OutcomesDialog<One extends Outcome<unknown>>(props: OutcomesDialogProps<One>) {
	const { title, outcomes, idOf, nameOf, done, actions, onClose } = props;
	const t = useWords(words);
	const { count } = useFormat();
	const refused = outcomes.filter(({ refusal }) => refusal !== undefined).length;
	const numbers = { refused: count(refused), all: count(outcomes.length) };
	const buttons = (
		<>
			{actions}
			<Button kind="primary" onClick={onClose}>
				{t("understood")}
			</Button>
		</>
	);
	return (
		<Dialog title={title} isOpen isWide isLast onClose={onClose} actions={buttons}>
			<div className="stack">
				<p role="status">{t(refused === 0 ? "outcomeAll" : "outcomeSum", numbers)}</p>
				<Table
					caption={title}
					rows={outcomes}
					rowId={idOf}
					columns={[
						{ ...{ id: "number", title: t("number"), isNarrow: true }, cell: nameOf },
						{
							...{ id: "outcome", title: t("outcome"), isNarrow: true, onPhone: "beside" },
							cell: ({ refusal }) =>
								refusal ? <Status tone="bad">{t("notDone")}</Status> : <Status tone="good">{done}</Status>,
						},
						...(refused === 0
							? []
							: [
									{
										...{ id: "reason", title: t("reason") },
										cell: ({ refusal }: One) => refusal && reasonOf(refusal, t("noAnswer")),
									},
								]),
					]}
				/>
			</div>
		</Dialog>
	);
}

function reasonOf({ problem }: CallError, noAnswer: string): string {
	return problem ? textOf(problem) || problem.title : noAnswer;
}
