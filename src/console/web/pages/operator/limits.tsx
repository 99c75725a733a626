/** Who was refused by limits on a day. */
import { Gauge } from "lucide-react";
import { useSearchParams } from "wouter";
import type { Answer } from "../../api/call";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Field, TextInput } from "../../kit/field";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty } from "../../kit/states";
import { type Column, Table } from "../../kit/table";
import { words } from "./words";

type Limited = Answer<"listLimited">["items"][number];

const ID_SHOWN = 8;

export default function Limits() {
	const t = useWords(words);
	const { count } = useFormat();
	const [params, setParams] = useSearchParams();
	const day = params.get("day");
	const asked = useCall("listLimited", { query: day ? { day } : {} }, { keepsFormer: true });
	const keyOf = (id: string | null) => (id === null ? t("withoutKey") : t("withKey", { id: id.slice(-ID_SHOWN) }));
	const columns: readonly Column<Limited>[] = [
		{
			...{ id: "caller", title: t("caller") },
			cell: ({ name, tenantId, ownerId, keyId }) => (
				<span className="operator-name">
					<strong>{name ?? tenantId ?? ownerId ?? "—"}</strong>
					<span className="soft">{keyOf(keyId)}</span>
				</span>
			),
		},
		{ id: "operation", title: t("operation"), cell: ({ operation }) => <code>{operation}</code> },
		{ id: "refusals", title: t("refusals"), align: "end", cell: ({ limited }) => count(limited) },
		{ id: "requests", title: t("requests"), align: "end", cell: ({ requests }) => count(requests) },
	];
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("limitsTitle")}</PageTitle>
			</div>
			<p className="soft">{t("limitsText")}</p>
			<search className="toolbar">
				<Field label={t("day")}>
					<TextInput
						type="date"
						value={day ?? asked.data?.day ?? ""}
						onChange={({ target }) => setParams(target.value === "" ? {} : { day: target.value }, { replace: true })}
					/>
				</Field>
			</search>
			<section className="card" aria-label={t("limitsTitle")}>
				<Block
					asked={asked}
					lines={6}
					isEmpty={({ items }) => items.length === 0}
					empty={
						<Empty title={t("noLimits")} icon={Gauge}>
							{t("noLimitsText")}
						</Empty>
					}
				>
					{({ items }) => (
						<Table
							caption={t("limitsTitle")}
							columns={columns}
							rows={items}
							rowId={({ tenantId, keyId, operation }) => `${tenantId} ${keyId} ${operation}`}
						/>
					)}
				</Block>
			</section>
		</>
	);
}
