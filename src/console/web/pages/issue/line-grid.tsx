/**
 * The lines of a draft as a grid: Enter goes to the next line, arrows to the next cell, Ctrl+D repeats a line, Ctrl+Delete removes it, and cells copied from a
 * spreadsheet fill it from the cell with the focus on.
 */
import { ChevronLeft, ChevronRight, CircleAlert, Copy, Plus, Trash2 } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, memo, useEffect, useEffectEvent, useRef, useState } from "react";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { Prose } from "../../kit/states";
import { notify } from "../../kit/toast";
import { amountOf, readCopied } from "./amounts";
import { addRow, type Draft, duplicateRow, LINES_MAX, pasteCells, removeRow, setCell, textAt } from "./draft";
import { CELLS, type Cell, profileOf, type Row, ratesOf } from "./row";
import { words } from "./words";

type Change = (edit: (draft: Draft) => Draft) => void;
/** The texts of the faults of a line, by cell. */
type LineFaults = ReadonlyMap<string, string>;

type LineGridProps = {
	readonly draft: Draft;
	readonly change: Change;
	readonly faults: ReadonlyMap<number, LineFaults>;
	/** A line that the focus is to go to; a new object goes there once more. */
	readonly goal: Goal | undefined;
};
export type Goal = { readonly at: number; readonly cell: string };

/** Lines that are shown at once: a thousand inputs take a browser a second. */
const PAGE_LINES = 50;
const pageOf = (at: number) => Math.floor(at / PAGE_LINES);

const SALE: readonly Cell[] = ["description", "quantity", "unit_price", "discount", "tax_rate", "kind"];
/** Without the discount, which purchases hardly have, all columns fit beside each other. */
const PURCHASE: readonly Cell[] = [
	...(["description", "quantity", "unit_price", "tax_rate", "withheld_itbis", "withheld_isr", "kind"] as const),
];
const PURCHASE_WITH_ALL: readonly Cell[] = CELLS;

function columnsOf({ members, rows }: Draft): readonly Cell[] {
	if (!profileOf(members.type).isPurchase) return SALE;
	return rows.some(({ discount }) => discount !== "") ? PURCHASE_WITH_ALL : PURCHASE;
}

export function LineGrid({ draft, change, faults, goal }: LineGridProps) {
	const t = useWords(words);
	const { rows, members } = draft;
	const columns = columnsOf(draft);
	const [active, setActive] = useState(-1);
	const table = useRef<HTMLTableElement>(null);
	const waiting = useRef<{ at: number; cell: Cell }>(undefined);
	// Lines keep the handlers of an earlier rendering.
	const count = useRef(rows.length);
	count.current = rows.length;
	const [asked, setPage] = useState(0);
	const page = Math.min(asked, pageOf(rows.length - 1));
	useEffect(() => {
		const wanted = waiting.current;
		if (!wanted || wanted.at >= rows.length) return;
		if (pageOf(wanted.at) !== page) return setPage(pageOf(wanted.at));
		waiting.current = undefined;
		findCell(table.current, wanted.at, wanted.cell)?.focus();
	});
	const goTo = (at: number, cell: Cell) => {
		const found = findCell(table.current, at, cell);
		if (found) return found.focus();
		waiting.current = { at, cell };
		setPage(pageOf(at));
	};
	const onGoal = useEffectEvent(({ at, cell }: Goal) =>
		goTo(at, columns.find((column) => column === cell) ?? "description"),
	);
	useEffect(() => {
		if (goal) onGoal(goal);
	}, [goal]);
	const grow = (edit: (draft: Draft) => Draft, at: number, cell: Cell) => {
		if (count.current >= LINES_MAX) {
			notify(t("tooMany", { max: LINES_MAX }), { type: "bad" });
			return;
		}
		waiting.current = { at, cell };
		change(edit);
	};
	const remove = (at: number) => {
		waiting.current = { at: Math.max(0, Math.min(at, count.current - 2)), cell: "description" };
		change((now) => removeRow(now, at));
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const place = placeOf(event.target);
		if (!place) return;
		const { at, cell } = place;
		const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
		const isCommand = ctrlKey || metaKey;
		if (isCommand && key.toLowerCase() === "d") grow((now) => duplicateRow(now, at), at + 1, cell);
		else if (isCommand && key === "Delete") remove(at);
		else if (isCommand || altKey) return;
		else if (key === "Enter" && shiftKey) goTo(Math.max(0, at - 1), "description");
		else if (key === "Enter" && at === rows.length - 1) grow((now) => addRow(now, at + 1), at + 1, "description");
		else if (key === "Enter") goTo(at + 1, "description");
		else if (!moveByArrow(event, at, cell)) return;
		event.preventDefault();
	};
	const moveByArrow = ({ key, target }: KeyboardEvent, at: number, cell: Cell): boolean => {
		const isText = target instanceof HTMLInputElement;
		const side = columns.indexOf(cell);
		if (isText && key === "ArrowDown" && at < rows.length - 1) goTo(at + 1, cell);
		else if (isText && key === "ArrowUp" && at > 0) goTo(at - 1, cell);
		else if (key === "ArrowRight" && isAtEdge(target, "end")) goTo(at, columns[side + 1] ?? cell);
		else if (key === "ArrowLeft" && isAtEdge(target, "start")) goTo(at, columns[side - 1] ?? cell);
		else return false;
		return true;
	};
	const onPaste = (event: ClipboardEvent) => {
		const place = placeOf(event.target);
		const text = event.clipboardData.getData("text/plain");
		if (!place || !/[\t\r\n]/.test(text.trimEnd())) return;
		event.preventDefault();
		const texts = readCopied(text);
		const from = columns.slice(columns.indexOf(place.cell));
		const left = texts.length - (LINES_MAX - place.at);
		change((now) => pasteCells(now, place.at, from, texts));
		if (left > 0) notify(t("pasteLeft", { max: LINES_MAX, left }), { type: "bad" });
	};
	return (
		<>
			<div className="lines-scroll">
				<table
					ref={table}
					className={`table lines${columns === PURCHASE_WITH_ALL ? " lines-wide" : ""}`}
					onKeyDown={onKeyDown}
					onPaste={onPaste}
					onFocus={({ target }) => setActive(placeOf(target)?.at ?? -1)}
					onBlur={() => setActive(-1)}
				>
					<caption className="visually-hidden">{t("lines")}</caption>
					<thead>
						<tr>
							<th scope="col" className="cell-narrow">
								<span aria-hidden>#</span>
								<span className="visually-hidden">{t("number")}</span>
							</th>
							{columns.map((column) => (
								<th key={column} scope="col" className={`line-${column}`}>
									{t(column)}
								</th>
							))}
							<th scope="col" className="cell-end">
								{t("amount")}
							</th>
							<th scope="col">
								<span className="visually-hidden">{t("actions")}</span>
							</th>
						</tr>
					</thead>
					<tbody>
						{rows.slice(page * PAGE_LINES, (page + 1) * PAGE_LINES).map((row, place) => (
							<LineRow
								key={row.id}
								{...{ row, columns, change }}
								at={page * PAGE_LINES + place}
								type={members.type}
								currency={members.amounts_in === "document" ? textAt(members, "/currency") : "DOP"}
								faults={faults.get(page * PAGE_LINES + place)}
								isActive={page * PAGE_LINES + place === active}
								onDuplicate={grow}
								onRemove={remove}
							/>
						))}
					</tbody>
				</table>
			</div>
			<div className="lines-foot">
				<Button
					icon={<Plus aria-hidden />}
					onClick={() => grow((now) => addRow(now, now.rows.length), rows.length, "description")}
				>
					{t("addLine")}
				</Button>
				{rows.length > PAGE_LINES ? <Pages {...{ page, count: rows.length, onPage: setPage }} /> : null}
				<span className="soft lines-keys">{t("keys")}</span>
			</div>
		</>
	);
}

type PagesProps = { readonly page: number; readonly count: number; readonly onPage: (page: number) => void };

function Pages({ page, count, onPage }: PagesProps) {
	const t = useWords(words);
	const format = useFormat();
	const last = pageOf(count - 1);
	const values = {
		from: format.count(page * PAGE_LINES + 1),
		to: format.count(Math.min(count, (page + 1) * PAGE_LINES)),
		count: format.count(count),
	};
	return (
		<div className="toolbar">
			<Button isIcon icon={<ChevronLeft aria-hidden />} disabled={page === 0} onClick={() => onPage(page - 1)}>
				{t("earlierLines")}
			</Button>
			<span className="number">{t("linesShown", values)}</span>
			<Button isIcon icon={<ChevronRight aria-hidden />} disabled={page === last} onClick={() => onPage(page + 1)}>
				{t("laterLines")}
			</Button>
		</div>
	);
}

type LineRowProps = {
	readonly row: Row;
	readonly at: number;
	readonly columns: readonly Cell[];
	readonly type: unknown;
	readonly currency: string;
	readonly faults: LineFaults | undefined;
	readonly isActive: boolean;
	readonly change: Change;
	readonly onDuplicate: (edit: (draft: Draft) => Draft, at: number, cell: Cell) => void;
	readonly onRemove: (at: number) => void;
};

/** Rendered again only when it changes itself. */
const LineRow = memo(
	function LineRow({
		row,
		at,
		columns,
		type,
		currency,
		faults,
		isActive,
		change,
		onDuplicate,
		onRemove,
	}: LineRowProps) {
		const t = useWords(words);
		const { amount } = useFormat();
		const line = t("line", { n: at + 1 });
		// While a line is written, its empty cells are not yet wrong.
		const shown = [...(faults ?? [])].filter(([cell]) => !isActive || row[cell as Cell] !== "");
		const faultId = `line-${row.id}-faults`;
		const common = (cell: Cell) => ({
			"aria-label": `${t(cell)}, ${line}`,
			"aria-invalid": shown.some(([one]) => one === cell) || undefined,
			"aria-describedby": shown.length > 0 ? faultId : undefined,
			"data-pointer": `/lines/${at}/${cell}`,
			value: row[cell],
		});
		const set = (cell: Cell, text: string) => change((draft) => setCell(draft, at, cell, text));
		const choices = {
			tax_rate: row.tax_rate === "" ? ["", ...ratesOf(type)] : ratesOf(type),
			kind: ["good", "service"],
		};
		const control = (cell: Cell) =>
			cell === "tax_rate" || cell === "kind" ? (
				<select {...common(cell)} className="input" onChange={({ target }) => set(cell, target.value)}>
					{choices[cell].map((value) => (
						<option key={value} value={value}>
							{t(value === "" ? "rateOfTotals" : (`${cell}_${value}` as "kind_good"))}
						</option>
					))}
				</select>
			) : (
				<input
					{...common(cell)}
					type="text"
					className={cell === "description" ? "input" : "input input-amount"}
					inputMode={cell === "description" ? "text" : "decimal"}
					autoComplete="off"
					maxLength={cell === "description" ? 1_000 : 40}
					onChange={({ target }) => set(cell, target.value)}
					onFocus={({ target }) => target.select()}
				/>
			);
		return (
			<>
				<tr className={shown.length > 0 ? "line-faulty" : undefined}>
					<td className="cell-narrow soft number line-number">{at + 1}</td>
					{columns.map((cell) => (
						<td key={cell} className={`line-${cell}`} data-title={t(cell)}>
							{control(cell)}
						</td>
					))}
					<td className="cell-end line-amount" data-title={t("amount")}>
						{amount(amountOf(row).toFixed(2), currency)}
					</td>
					<td className="cell-narrow line-actions">
						<Button
							kind="quiet"
							isIcon
							icon={<Copy aria-hidden />}
							onClick={() => onDuplicate((draft) => duplicateRow(draft, at), at + 1, "description")}
						>
							{t("duplicate", { line })}
						</Button>
						<Button kind="quiet" isIcon icon={<Trash2 aria-hidden />} onClick={() => onRemove(at)}>
							{t("remove", { line })}
						</Button>
					</td>
				</tr>
				{shown.length > 0 ? (
					<tr className="line-faults">
						<td />
						<td colSpan={columns.length + 2} id={faultId}>
							{shown.map(([cell, text]) => (
								<span key={cell} className="field-error">
									<CircleAlert aria-hidden />
									<span>
										<Prose text={text} />
									</span>
								</span>
							))}
						</td>
					</tr>
				) : null}
			</>
		);
	},
	// The handlers differ at each rendering, and do the same.
	(before, after) =>
		(["row", "at", "columns", "type", "currency", "faults", "isActive"] as const).every(
			(name) => before[name] === after[name],
		),
);

function placeOf(target: EventTarget): { at: number; cell: Cell } | undefined {
	const pointer = target instanceof HTMLElement ? target.dataset.pointer : undefined;
	const [, at, cell] = /^\/lines\/(\d+)\/(\w+)$/.exec(pointer ?? "") ?? [];
	return at === undefined ? undefined : { at: Number(at), cell: cell as Cell };
}

function findCell(table: HTMLElement | null, at: number, cell: Cell): HTMLElement | null | undefined {
	return table?.querySelector<HTMLElement>(`[data-pointer="/lines/${at}/${cell}"]`);
}

/** Whether an arrow key leaves the cell: the caret is at that end, or the whole text is marked, as it is when the cell was reached. */
function isAtEdge(target: EventTarget, edge: "start" | "end"): boolean {
	if (!(target instanceof HTMLInputElement)) return true;
	const { selectionStart: start, selectionEnd: end, value } = target;
	if (start === 0 && end === value.length) return true;
	return start === end && start === (edge === "start" ? 0 : value.length);
}
