/** The form of a draft. It is checked while it is written, stored at each change, and issued once. */
import { FilePenLine, Send, Trash2 } from "lucide-react";
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { CallError } from "../../api/call";
import { useSend } from "../../api/use-call";
import { useFormat } from "../../app/format";
import { useLanguage, useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { Field, Select, TextInput } from "../../kit/field";
import { Menu } from "../../kit/menu";
import { PageTitle } from "../../kit/page-title";
import { Callout, Prose } from "../../kit/states";
import { notify } from "../../kit/toast";
import { readAmount } from "./amounts";
import { Buyer } from "./buyer";
import { foresee, listFindings, useCheck } from "./check";
import { type Draft, setMember, setType, textAt, toPlace, toRequest } from "./draft";
import { type Drafts, isWorthKeeping, useDraft } from "./draft-store";
import { Further, Reference } from "./further";
import { type Goal, LineGrid } from "./line-grid";
import { beginSentence, focusPlace, usePlaceName } from "./places";
import { type DocumentType, isBlank, TYPES } from "./row";
import { OutlookMark, Verdict } from "./verdict";
import { words } from "./words";

const NAMED_TYPES = Object.keys(TYPES) as DocumentType[];

type EditorProps = {
	readonly drafts: Drafts;
	readonly first: Draft;
	/** The draft is gone from the store. */
	readonly onDiscard: () => void;
};

export function Editor({ drafts, first, onDiscard }: EditorProps) {
	const t = useWords(words);
	const language = useLanguage();
	const { amount } = useFormat();
	const { company } = useHere();
	const [, navigate] = useLocation();
	const { draft, change } = useDraft(drafts, first);
	// Sums of many lines follow what is typed, and do not delay it.
	const summed = useDeferredValue(draft);
	const { body, rowOfLine } = useMemo(() => toRequest(summed, company), [summed, company]);
	const isReady = draft.rows.some((row) => !isBlank(row) && readAmount(row.unit_price) !== undefined);
	const { check, again, refuse } = useCheck(isReady ? body : undefined, draft.key);
	const findings = useMemo(
		() => listFindings(check, language).map((one) => ({ ...one, pointer: toPlace(one.pointer, rowOfLine) })),
		[check, language, rowOfLine],
	);
	const faults = findings.filter(({ isFault }) => isFault);
	const lineFaults = useMemo(() => groupByLine(findings.filter(({ isFault }) => isFault)), [findings]);
	const errorOf = (pointer: string) =>
		faults.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))?.detail;
	const outlook = foresee(check);
	const sending = useSend("postInvoice", ["listInvoices", "getOverview", "getInvoice", "getInvoiceStatus"]);
	const [goal, setGoal] = useState<Goal>();
	const go = (pointer: string) => {
		const [, at, cell = "description"] = /^\/lines\/(\d+)(?:\/(\w+))?/.exec(pointer) ?? [];
		if (at === undefined) focusPlace(pointer);
		else setGoal({ at: +at, cell });
	};
	const issue = () => {
		if (!isReady) return go("/lines/0/description");
		const [fault] = faults;
		if (check.error && !check.isChecking && summed === draft && fault) return go(fault.pointer);
		sending.mutate(
			{ body: toRequest(draft, company).body, idempotencyKey: draft.key },
			{
				onSuccess: (answer) => {
					if (!("docId" in answer)) return;
					drafts.forget(draft.id);
					notify(t("issued", { encf: answer.encf }));
					navigate(`/invoices/${answer.docId}`);
				},
				onError: (error: CallError) => {
					refuse(error);
					notify(error.problem?.title ?? t("notIssued"), {
						...{ type: "bad", description: error.problem?.detail ?? "" },
					});
				},
			},
		);
	};
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
		event.preventDefault();
		if (!sending.isPending) issue();
	};
	const discard = () => {
		drafts.forget(draft.id);
		onDiscard();
	};
	const part = { draft, change, errorOf };
	const currency = body.amounts_in === "document" ? (body.currency ?? "DOP") : "DOP";
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for what the button does
		<div className="issue" onKeyDown={onKeyDown}>
			<div className="page-head">
				<PageTitle>{draft.source ? t(`title_${draft.source.as}`) : t("title")}</PageTitle>
				<div className="toolbar">
					<OtherDrafts drafts={drafts} id={draft.id} />
					{isWorthKeeping(draft) ? (
						<Button kind="quiet" icon={<Trash2 aria-hidden />} onClick={discard}>
							{t(draft.source ? "startAgain" : "discard")}
						</Button>
					) : null}
				</div>
			</div>
			{draft.source ? <Source {...draft} source={draft.source} /> : null}
			<section className="card card-body issue-fields" aria-label={t("document")}>
				<Field label={t("type")} error={errorOf("/type")}>
					<Select
						data-pointer="/type"
						value={textAt(draft.members, "/type")}
						onChange={({ target }) => change((now) => setType(now, target.value))}
						options={NAMED_TYPES.map((value) => ({ value, label: `${value} · ${t(`type_${value}`)}` }))}
					/>
				</Field>
				<Buyer key={draft.id} {...part} status={check.report?.registry.buyer} />
				<DocumentNumber {...part} />
				<Reference {...part} />
			</section>
			<section className="card" aria-label={t("lines")}>
				<LineGrid {...{ draft, change, goal }} faults={lineFaults} />
			</section>
			<div className="issue-columns">
				<Further {...part} />
				<Verdict {...{ draft, currency, outlook, check, findings }} totals={body.totals} onRetry={again} onGo={go} />
			</div>
			<div className="issue-bar">
				<span className="issue-sum">
					<span className="soft">{t("total")}</span>
					<strong className="number">{amount(body.totals.grand_total, currency)}</strong>
				</span>
				<span className="issue-outlook" aria-hidden>
					<OutlookMark outlook={outlook} count={faults.length} />
				</span>
				<Button
					kind="primary"
					icon={<Send aria-hidden />}
					isBusy={sending.isPending}
					onClick={issue}
					title="Ctrl+Enter"
				>
					{t("issue")}
				</Button>
			</div>
		</div>
	);
}

function DocumentNumber({ draft, change, errorOf }: Parameters<typeof Further>[0]) {
	const t = useWords(words);
	const number = textAt(draft.members, "/encf");
	return (
		<Field label={t("encf")} hint={t("encfHint")} error={errorOf("/encf")}>
			<TextInput
				value={number === "auto" ? "" : number}
				maxLength={13}
				placeholder={t("automatic")}
				autoComplete="off"
				spellCheck={false}
				data-pointer="/encf"
				onChange={({ target }) => change((now) => setMember(now, "/encf", target.value.trim().toUpperCase()))}
			/>
		</Field>
	);
}

/** What the service changed of the stored document, and why. */
function Source({ source, open, members }: Required<Pick<Draft, "source" | "open" | "members">>) {
	const t = useWords(words);
	const language = useLanguage();
	const nameOf = usePlaceName();
	const { as, encf, changes } = source;
	const sayWhy = ({ detail, detailEs }: Draft["open"][number]) => (language === "es" ? detailEs : detail);
	const isToday = textAt(members, "/issue_date") === "";
	const days = [...open, ...changes.filter(({ after }) => after === null && isToday)];
	const day = as === "reissue" && days.find(({ pointer }) => pointer === "/issue_date");
	const show = (value: unknown) => (value === null ? t("nothing") : typeof value === "object" ? t("data") : `${value}`);
	return (
		<Callout>
			<div className="issue-source">
				<p>{t(`source_${as}`, { encf })}</p>
				{day ? <p>{sayWhy(day)}</p> : null}
				{changes.length > 0 ? (
					<details>
						<summary>{t("changes", { count: changes.length })}</summary>
						<ul>
							{changes.map((change) => (
								<li key={change.pointer}>
									<Prose text={beginSentence(nameOf(change.pointer) ?? change.pointer)} />: {show(change.before)} →{" "}
									{show(change.after)}. <span className="soft">{sayWhy(change)}</span>
								</li>
							))}
						</ul>
					</details>
				) : null}
			</div>
		</Callout>
	);
}

function OtherDrafts({ drafts, id }: { readonly drafts: Drafts; readonly id: string }) {
	const t = useWords(words);
	const { ago } = useFormat();
	const others = useMemo(() => drafts.list().filter((one) => one.id !== id), [drafts, id]);
	if (others.length === 0) return null;
	const items = others.map(({ id, members, source, changedAt }) => {
		const buyer = textAt(members, "/customer/name") || textAt(members, "/customer/rnc") || t("noBuyer");
		const time = ago(new Date(changedAt).toISOString());
		const address = source ? `from=${source.docId}&as=${source.as}` : `draft=${id}`;
		return { label: `${textAt(members, "/type")} · ${buyer} · ${time}`, href: `/issue?${address}` };
	});
	const trigger = (
		<Button kind="quiet" icon={<FilePenLine aria-hidden />}>
			{t("drafts", { count: others.length })}
		</Button>
	);
	return <Menu trigger={trigger} groups={[{ items }]} align="end" />;
}

/** The faults of each line, by cell; a line's own fault is shown at its description. */
function groupByLine(faults: readonly { readonly pointer: string; readonly detail: string }[]) {
	const lines = new Map<number, Map<string, string>>();
	for (const { pointer, detail } of faults) {
		const [, at, cell = "description"] = /^\/lines\/(\d+)(?:\/(\w+))?/.exec(pointer) ?? [];
		if (at === undefined) continue;
		const line = lines.get(+at) ?? new Map<string, string>();
		line.set(cell, detail);
		lines.set(+at, line);
	}
	return lines;
}
