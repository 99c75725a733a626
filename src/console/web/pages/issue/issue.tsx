/** Issues a document: a new one, or a further one of a stored document (`?from=DOCID&as=reissue|credit|debit|copy`). */
import { FileLock2 } from "lucide-react";
import { useState } from "react";
import { Redirect, useSearchParams } from "wouter";
import { useCall } from "../../api/use-call";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty } from "../../kit/states";
import { type DraftKind, fromAnswer, newDraft } from "./draft";
import { type Drafts, useDrafts } from "./draft-store";
import { Editor } from "./editor";
import { words } from "./words";

const KINDS: readonly string[] = ["reissue", "credit", "debit", "copy"] satisfies DraftKind[];

export default function IssuePage() {
	const t = useWords(words);
	const { may } = useHere();
	const drafts = useDrafts();
	const [params] = useSearchParams();
	const [round, setRound] = useState(0);
	const again = () => setRound((former) => former + 1);
	const [from, as, id] = [params.get("from"), params.get("as"), params.get("draft")];
	if (!may("invoices:write")) {
		return (
			<Empty title={t("notAllowed")} icon={FileLock2}>
				{t("notAllowedText")}
			</Empty>
		);
	}
	if (from !== null && as !== null && KINDS.includes(as)) {
		return <FromDocument key={`${as} ${from} ${round}`} {...{ drafts, from }} as={as as DraftKind} onDiscard={again} />;
	}
	if (!id) return <Redirect to={`/issue?draft=${crypto.randomUUID()}`} replace />;
	const first = drafts.read(id) ?? newDraft(id, crypto.randomUUID());
	return <Editor key={`${id} ${round}`} {...{ drafts, first }} onDiscard={again} />;
}

type FromDocumentProps = {
	readonly drafts: Drafts;
	readonly from: string;
	readonly as: DraftKind;
	readonly onDiscard: () => void;
};

function FromDocument({ drafts, from, as, onDiscard }: FromDocumentProps) {
	const t = useWords(words);
	const id = `${as}-${from}`;
	const [kept] = useState(() => drafts.read(id));
	const asked = useCall("getInvoiceDraft", { path: { docId: from }, query: { as } }, { enabled: kept === undefined });
	if (kept) return <Editor {...{ drafts, onDiscard }} first={kept} />;
	return (
		<>
			{asked.data ? null : <PageTitle>{t(`title_${as}`)}</PageTitle>}
			<Block asked={asked} lines={8}>
				{(answer) => <Editor {...{ drafts, onDiscard }} first={fromAnswer(id, crypto.randomUUID(), answer)} />}
			</Block>
		</>
	);
}
