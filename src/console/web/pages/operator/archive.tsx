/** The newest signed checkpoints of the archive, checked anew. */
import { ShieldCheck } from "lucide-react";
import type { Answer } from "../../api/call";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty } from "../../kit/states";
import { Status } from "../../kit/status";
import { type Column, Table } from "../../kit/table";
import { words } from "./words";

type Checkpoint = Answer<"verifyCheckpoints">["items"][number];

export default function ArchiveProofs() {
	const t = useWords(words);
	const { exact, count } = useFormat();
	const asked = useCall("verifyCheckpoints", {});
	const columns: readonly Column<Checkpoint>[] = [
		{ id: "number", title: t("number"), align: "end", isNarrow: true, cell: ({ number }) => count(number) },
		{ id: "signed", title: t("signedAt"), isNarrow: true, cell: ({ madeAt }) => exact(madeAt) },
		{ id: "leaves", title: t("leaves"), align: "end", cell: ({ size }) => count(size) },
		{
			...{ id: "state", title: t("state"), onPhone: "beside" },
			cell: ({ defects }) =>
				defects.length === 0 ? (
					<Status tone="good">{t("holds")}</Status>
				) : (
					<span className="operator-name">
						<Status tone="bad">{t("fails")}</Status>
						<span className="soft">{defects.join("; ")}</span>
					</span>
				),
		},
		{ id: "root", title: t("root"), cell: ({ root }) => <code className="operator-name">{root}</code> },
	];
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("archiveTitle")}</PageTitle>
			</div>
			<p className="soft">{t("archiveText")}</p>
			<section className="card" aria-label={t("archiveTitle")}>
				<Block
					asked={asked}
					lines={8}
					isEmpty={({ items }) => items.length === 0}
					empty={
						<Empty title={t("noPoints")} icon={ShieldCheck}>
							{t("noPointsText")}
						</Empty>
					}
				>
					{({ items }) => (
						<Table caption={t("archiveTitle")} columns={columns} rows={items} rowId={({ number }) => String(number)} />
					)}
				</Block>
			</section>
		</>
	);
}
