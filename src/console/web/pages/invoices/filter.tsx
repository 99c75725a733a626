/** The filters of the list: they live in the page's address, so that a list can be kept as a bookmark and sent to others. */
import { ListFilter, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useSearchParams } from "wouter";
import type { Input } from "../../api/call";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Dialog, FormActions } from "../../kit/dialog";
import { Field, labelOf, Select, TextInput } from "../../kit/field";
import { SearchField } from "../../kit/search-field";
import { words } from "./words";

const NAMES = [
	...(["q", "status", "type", "date", "from", "to"] as const),
	...(["customer_rnc", "amount_from", "amount_to", "code"] as const),
] as const;
type Name = (typeof NAMES)[number];
export type Filter = Readonly<Partial<Record<Name, string>>>;

export const TYPES = ["31", "32", "33", "34", "41", "44"] as const;
const STATES = ["accepted", "rejected", "failed", "pending"] as const;
/** Shown as chips, because no control of the toolbar shows them. */
const CHIPS = ["from", "to", "date", "customer_rnc", "amount_from", "amount_to", "code"] as const;

const DAY_MS = 86_400_000;

/** The filters of the page's address, and how they change: back to the first page. */
export function useFilter() {
	const [params, setParams] = useSearchParams();
	const filter: Filter = Object.fromEntries(NAMES.flatMap((name) => [[name, params.get(name)]].filter(([, v]) => v)));
	const change = (values: Filter) => {
		const next = new URLSearchParams(
			Object.entries({ columns: params.get("columns"), ...filter, ...values }).flatMap(([name, value]) =>
				value ? [[name, value]] : [],
			),
		);
		setParams(next, { replace: true });
	};
	return {
		filter,
		after: params.get("after") ?? undefined,
		isFiltered: Object.keys(filter).length > 0,
		change,
		clear: () => setParams({}, { replace: true }),
	};
}

/** The address may have any text; the service says what it refuses. */
export const toQuery = (filter: Filter) => filter as NonNullable<Input<"listInvoices">["query"]>;

type FilterProps = { readonly filter: Filter; readonly onChange: (values: Filter) => void };

function useChoices() {
	const t = useWords(words);
	return {
		states: STATES.map((value) => ({ value, label: t(value) })),
		types: TYPES.map((value) => ({ value, label: `${value} · ${t(`type${value}`)}` })),
	};
}

/** What each filter that is set is called, and what it asks for. */
export function useFilterTexts(filter: Filter) {
	const t = useWords(words);
	const { amount, day } = useFormat();
	const { states, types } = useChoices();
	const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
	const shown = (name: Name, value: string) => {
		if (name === "date") return value === "issued" ? t("issued") : value;
		if (name.startsWith("amount") && /^\d+(\.\d{1,2})?$/.test(value)) return amount(value);
		if (name === "status") return labelOf(states, value);
		if (name === "type") return labelOf(types, value);
		return isDay(value) ? day(value) : value;
	};
	return NAMES.flatMap((name) => {
		const value = filter[name];
		return value === undefined
			? []
			: [{ name, title: t(name === "date" ? "dateOf" : name), value: shown(name, value) ?? "" }];
	});
}

export function FilterBar({ filter, onChange }: FilterProps) {
	const t = useWords(words);
	const [isOpen, setOpen] = useState(false);
	const { states, types } = useChoices();
	const periods = readPeriods();
	const { from, to } = filter;
	const period =
		from === undefined && to === undefined
			? "anyTime"
			: (Object.entries(periods).find(([, one]) => one.from === from && one.to === to)?.[0] ?? "ownPeriod");
	const pickPeriod = (name: string) => {
		if (name === "ownPeriod") return setOpen(true);
		onChange(name in periods ? periods[name as keyof typeof periods] : { from: "", to: "" });
	};
	return (
		<search className="toolbar invoices-filter">
			<SearchField
				label={t("search")}
				placeholder={t("searchHint")}
				value={filter.q ?? ""}
				onChange={(q) => onChange({ q })}
			/>
			<Field label={t("period")} hidesLabel>
				<Select
					value={period}
					onChange={({ target }) => pickPeriod(target.value)}
					options={(["anyTime", "today", "week", "month", "lastMonth", "ownPeriod"] as const).map((value) => ({
						...{ value, label: t(value) },
					}))}
				/>
			</Field>
			<Field label={t("status")} hidesLabel>
				<Select
					value={filter.status ?? ""}
					onChange={({ target }) => onChange({ status: target.value })}
					options={[{ value: "", label: t("anyStatus") }, ...states]}
				/>
			</Field>
			<Field label={t("type")} hidesLabel>
				<Select
					value={filter.type ?? ""}
					onChange={({ target }) => onChange({ type: target.value })}
					options={[{ value: "", label: t("anyType") }, ...types]}
				/>
			</Field>
			<Button icon={<ListFilter aria-hidden />} onClick={() => setOpen(true)}>
				{t("filters")}
			</Button>
			{isOpen ? <FilterDialog filter={filter} onChange={onChange} onClose={() => setOpen(false)} /> : null}
		</search>
	);
}

/** Today, and the spans of days that people ask for, in the Dominican Republic's days. */
function readPeriods(now = Date.now()) {
	const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
	const local = now - 4 * 3_600_000;
	const today = day(local);
	const first = `${today.slice(0, 8)}01`;
	const lastEnd = day(Date.parse(first) - DAY_MS);
	return {
		today: { from: today, to: today },
		week: { from: day(local - 6 * DAY_MS), to: today },
		month: { from: first, to: today },
		lastMonth: { from: `${lastEnd.slice(0, 8)}01`, to: lastEnd },
	};
}

function FilterDialog({ filter, onChange, onClose }: FilterProps & { readonly onClose: () => void }) {
	const t = useWords(words);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		onChange(Object.fromEntries(CHIPS.map((name) => [name, String(values.get(name) ?? "").trim()])));
		onClose();
	};
	const actions = (
		<FormActions form="invoices-filter" onClose={onClose}>
			{t("apply")}
		</FormActions>
	);
	const text = (name: Name, hint?: string) => (
		<Field label={t(name as "from")} hint={hint}>
			<TextInput name={name} defaultValue={filter[name] ?? ""} inputMode={name === "code" ? "text" : "decimal"} />
		</Field>
	);
	return (
		<Dialog title={t("filtersTitle")} isOpen onClose={onClose} actions={actions}>
			<form id="invoices-filter" className="invoices-form" onSubmit={submit}>
				<Field label={t("dateOf")}>
					<Select
						name="date"
						defaultValue={filter.date ?? ""}
						options={[
							{ value: "", label: t("received") },
							{ value: "issued", label: t("issued") },
						]}
					/>
				</Field>
				<div className="invoices-pair">
					{(["from", "to"] as const).map((name) => (
						<Field key={name} label={t(name)}>
							<TextInput type="date" name={name} defaultValue={filter[name] ?? ""} />
						</Field>
					))}
				</div>
				<div className="invoices-pair">
					{text("amount_from", t("amountHint"))}
					{text("amount_to", t("amountHint"))}
				</div>
				<div className="invoices-pair">
					{text("customer_rnc")}
					{text("code")}
				</div>
			</form>
		</Dialog>
	);
}

export function FilterChips({ filter, onChange }: FilterProps) {
	const t = useWords(words);
	const chips = useFilterTexts(filter)
		.filter(({ name }) => CHIPS.some((one) => one === name))
		.map(({ name, title, value }) => ({ name, text: name === "date" ? t("date") : `${title}: ${value}` }));
	if (chips.length === 0) return null;
	return (
		<ul className="toolbar">
			{chips.map(({ name, text }) => (
				<li key={name}>
					<button type="button" className="chip" onClick={() => onChange({ [name]: "" })}>
						<span className="visually-hidden">{t("removeFilter", { name: text })}</span>
						<span className="number" aria-hidden>
							{text}
						</span>
						<X className="icon" aria-hidden />
					</button>
				</li>
			))}
		</ul>
	);
}
