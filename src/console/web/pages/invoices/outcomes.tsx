/** What has become of each of several invoices, where not all went well. */
import { CallError } from "../../api/call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Dialog } from "../../kit/dialog";
import { Status } from "../../kit/status";
import { Table } from "../../kit/table";
import { words } from "./words";

export type Named = { readonly docId: string; readonly encf: string };

/** `refusal` is undefined where it went well. */
export type Outcome = Named & { readonly refusal: CallError | undefined };

/** One after another: each is tried, whatever becomes of the others. */
export async function tryEach(items: readonly Named[], act: (item: Named) => Promise<unknown>): Promise<Outcome[]> {
	const outcomes: Outcome[] = [];
	for (const { docId, encf } of items) {
		const refusal = await act({ docId, encf }).then(
			() => undefined,
			(error) => {
				if (error instanceof CallError) return error;
				throw error;
			},
		);
		outcomes.push({ docId, encf, refusal });
	}
	return outcomes;
}

type OutcomesDialogProps = {
	readonly title: string;
	/** Said of those where it went well. */
	readonly done: string;
	readonly outcomes: readonly Outcome[];
	readonly onClose: () => void;
};

export function OutcomesDialog({ title, done, outcomes, onClose }: OutcomesDialogProps) {
	const t = useWords(words);
	const { count } = useFormat();
	const refused = outcomes.filter(({ refusal }) => refusal !== undefined).length;
	const actions = (
		<Button kind="primary" onClick={onClose}>
			{t("understood")}
		</Button>
	);
	return (
		<Dialog title={title} isOpen isWide onClose={onClose} actions={actions}>
			<p>{t("outcomeSum", { refused: count(refused), all: count(outcomes.length) })}</p>
			<Table
				caption={title}
				rows={outcomes}
				rowId={({ docId }) => docId}
				columns={[
					{
						id: "number",
						title: t("number"),
						isNarrow: true,
						cell: ({ encf }) => <span className="number">{encf}</span>,
					},
					{
						...{ id: "outcome", title: t("outcome"), isNarrow: true },
						cell: ({ refusal }) =>
							refusal ? <Status tone="bad">{t("notDone")}</Status> : <Status tone="good">{done}</Status>,
					},
					{
						...{ id: "reason", title: t("reason") },
						cell: ({ refusal }) => refusal && (refusal.problem?.detail ?? refusal.problem?.title ?? t("noAnswer")),
					},
				]}
			/>
		</Dialog>
	);
}
