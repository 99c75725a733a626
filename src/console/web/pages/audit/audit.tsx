/** The audit log: who did what, when and from where; filters and place live in the page's address. */
import { ScrollText } from "lucide-react";
import { useSearchParams } from "wouter";
import type { Input } from "../../api/call";
import type { AuditEntry } from "../../api/generated";
import { useCall } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Field, labelOf, Select, TextInput } from "../../kit/field";
import { PageTitle } from "../../kit/page-title";
import { Block, Empty, NoneFound } from "../../kit/states";
import { type Column, Pages, Table, useSetParam } from "../../kit/table";
import { words } from "./words";

type Word = keyof typeof words.es;

const AREAS = Object.keys(words.es)
	.filter((key) => key.startsWith("area_"))
	.map((key) => ({ key: key as Word, value: `${key.slice("area_".length)}.*` }));
const FILTERS = ["action", "from", "to", "target"] as const;
const PAGE = 50;
const DAY_MS = 86_400_000;

export default function Audit() {
	const t = useWords(words);
	const { day } = useFormat();
	const [params, setParams] = useSearchParams();
	const isFiltered = FILTERS.some((name) => params.has(name));
	const asked = useCall("listAudit", { query: toQuery(params) }, { keepsFormer: true });
	const set = useSetParam();
	const areas = [{ value: "", label: t("everything") }, ...AREAS.map(({ key, value }) => ({ value, label: t(key) }))];
	const shownDay = (name: "from" | "to") => {
		const text = params.get(name) ?? "";
		return Number.isNaN(Date.parse(text)) ? text : day(text);
	};
	const filters = [
		[t("area"), labelOf(areas, params.get("action"))],
		[t("from"), shownDay("from")],
		[t("to"), shownDay("to")],
		[t("target"), params.get("target")],
	] as const;
	const empty = isFiltered ? (
		<NoneFound title={t("empty")} filters={filters} onClear={() => setParams({})} />
	) : (
		<Empty title={t("empty")} icon={ScrollText}>
			{t("emptyText")}
		</Empty>
	);
	return (
		<>
			<div className="page-head">
				<PageTitle>{t("title")}</PageTitle>
			</div>
			<p className="soft">{t("text")}</p>
			<search className="audit-filters">
				<Field label={t("area")}>
					<Select
						value={params.get("action") ?? ""}
						options={areas}
						onChange={({ target }) => set("action", target.value)}
					/>
				</Field>
				<Field label={t("from")}>
					<TextInput
						type="date"
						value={params.get("from") ?? ""}
						max={params.get("to") ?? undefined}
						onChange={({ target }) => set("from", target.value)}
					/>
				</Field>
				<Field label={t("to")}>
					<TextInput
						type="date"
						value={params.get("to") ?? ""}
						min={params.get("from") ?? undefined}
						onChange={({ target }) => set("to", target.value)}
					/>
				</Field>
				<Field label={t("target")}>
					<TextInput
						type="search"
						value={params.get("target") ?? ""}
						onChange={({ target }) => set("target", target.value.trim())}
					/>
				</Field>
			</search>
			<section className="card" aria-label={t("entries")}>
				<Block asked={asked} lines={12} isEmpty={({ items }) => items.length === 0} empty={empty}>
					{(answer) => (
						<>
							<Entries items={answer.items} />
							<Pages next={answer.next} />
						</>
					)}
				</Block>
			</section>
		</>
	);
}

/** Days are those of the Dominican Republic, four hours behind UTC. */
function toQuery(params: URLSearchParams): Input<"listAudit">["query"] {
	const at = (day: string, addedMs: number) => {
		const start = Date.parse(`${day}T04:00:00Z`);
		return Number.isNaN(start) ? undefined : new Date(start + addedMs).toISOString();
	};
	const [action, from, to] = [
		params.get("action"),
		at(params.get("from") ?? "", 0),
		at(params.get("to") ?? "", DAY_MS),
	];
	const [target, after] = [params.get("target"), params.get("after")];
	return {
		...(action ? { action } : {}),
		...(from ? { from } : {}),
		...(to ? { to } : {}),
		...(target ? { target } : {}),
		...(after ? { after } : {}),
		limit: PAGE,
	};
}

function Entries({ items }: { readonly items: readonly AuditEntry[] }) {
	const t = useWords(words);
	const { exact } = useFormat();
	const whoOf = useNames();
	const columns: readonly Column<AuditEntry>[] = [
		{ id: "when", title: t("when"), isNarrow: true, cell: ({ at }) => exact(at) },
		{
			...{ id: "what", title: t("what"), onPhone: "plain" },
			cell: ({ action }) => (
				<>
					<strong>{nameOf(action, t)}</strong>
					<span className="audit-under mono">{action}</span>
				</>
			),
		},
		{
			...{ id: "who", title: t("who") },
			cell: ({ actor }) => {
				const { name, id } = whoOf(actor);
				return (
					<>
						{name}
						{id === null ? null : <span className="audit-under mono audit-id">{id}</span>}
					</>
				);
			},
		},
		{
			...{ id: "where", title: t("where"), isNarrow: true },
			cell: ({ actor }) => <span className="number">{actor.address ?? "—"}</span>,
		},
		{ id: "which", title: t("which"), onPhone: "plain", cell: (entry) => <Details entry={entry} /> },
	];
	return <Table caption={t("entries")} columns={columns} rows={items} rowId={({ id }) => id} />;
}

/** Names of people as far as the reader may know them. */
function useNames() {
	const t = useWords(words);
	const { me, company, may } = useHere();
	const team = useCall(
		"listTeamMembers",
		{ query: { owner: company.ownerId ?? "demo" } },
		{ enabled: may("team:read") },
	);
	const names = new Map(team.data?.items.map(({ userId, name }) => [userId, name]));
	return ({ kind, userId, clientId, keyId }: AuditEntry["actor"]) => {
		if (userId === me.user.id) return { name: t("you"), id: null };
		if (userId !== null) return { name: names.get(userId) ?? t("person"), id: names.has(userId) ? null : userId };
		return { name: t(kind), id: clientId ?? keyId };
	};
}

function Details({ entry: { target, changed, details, requestId } }: { readonly entry: AuditEntry }) {
	const t = useWords(words);
	const facts = Object.entries(details).filter(([, value]) => value !== null);
	return (
		<div className="audit-details">
			<span className="mono audit-id">{target}</span>
			{changed.length > 0 ? <span>{t("changed", { names: changed.join(", ") })}</span> : null}
			{facts.length > 0 ? (
				<span className="soft">{facts.map(([name, value]) => `${name}: ${value}`).join(" · ")}</span>
			) : null}
			{requestId === null ? null : <span className="soft audit-id">{t("request", { id: requestId })}</span>}
		</div>
	);
}

/** `company.patch` → `Company: changed`; what has no word keeps the action's own. */
function nameOf(action: string, t: (key: Word) => string): string {
	const [area = "", verb = ""] = action.split(".");
	const word = (key: string, other: string) => (Object.hasOwn(words.es, key) ? t(key as Word) : other);
	return `${word(`area_${area}`, area)}: ${word(`verb_${verb}`, verb)}`;
}
