/** A plain table: columns, rows, a selection if it is wanted, and the pages of a longer list. */
import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useLocation, useSearchParams } from "wouter";
import { useFormat } from "../app/format";
import { useWords } from "../app/language";
import { Button, LinkButton } from "./button";
import { kitWords } from "./words";

export type Column<Row> = {
	readonly id: string;
	readonly title: string;
	/** `end` for numbers. */
	readonly align?: "start" | "end";
	readonly isNarrow?: boolean;
	/** Buttons: at the end, with the title for screen readers only. */
	readonly isActions?: boolean;
	/**
	 * Its place on phones, where each row is a card and the first column its name: `beside` the name (at most two), in a line without its title
	 * (`plain`), or `nowhere`. By default in a line after its title.
	 */
	readonly onPhone?: "beside" | "plain" | "nowhere";
	readonly cell: (row: Row) => ReactNode;
};

type Selection = {
	readonly chosen: ReadonlySet<string>;
	readonly onChange: (chosen: ReadonlySet<string>) => void;
	/** A row's name for screen readers. */
	readonly nameOf: (id: string) => string;
};

type TableProps<Row> = {
	/** For screen readers. */
	readonly caption: string;
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	readonly rowId: (row: Row) => string;
	readonly selection?: Selection;
};

export function Table<Row>({ caption, columns, rows, rowId, selection }: TableProps<Row>) {
	const t = useWords(kitWords);
	const ids = rows.map(rowId);
	const isAllChosen = selection !== undefined && ids.length > 0 && ids.every((id) => selection.chosen.has(id));
	const last = useRef<string>(undefined);
	/** With the shift key, all rows from the one before on become like this one. */
	const choose = (id: string, isRange: boolean) => {
		if (!selection) return;
		const { chosen, onChange } = selection;
		const [from, to] = [ids.indexOf(isRange ? (last.current ?? id) : id), ids.indexOf(id)];
		const range = new Set(from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1));
		last.current = id;
		onChange(chosen.has(id) ? chosen.difference(range) : chosen.union(range));
	};
	const placeOf = ({ onPhone, isActions }: Column<Row>, at: number) =>
		at === 0 ? "name" : (onPhone ?? (isActions ? "actions" : "line"));
	const classOf = ({ align, isNarrow, isActions }: Column<Row>) =>
		[align === "end" || isActions ? "cell-end" : "", isNarrow || isActions ? "cell-narrow" : ""]
			.filter(Boolean)
			.join(" ") || undefined;
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
		<section className="table-scroll" aria-label={caption} tabIndex={0}>
			<table className="table">
				<caption className="visually-hidden">{caption}</caption>
				<thead>
					<tr>
						{selection ? (
							<th scope="col" className="cell-narrow cell-choice">
								<label className="choice-of-all">
									<input
										type="checkbox"
										checked={isAllChosen}
										onChange={() => selection.onChange(new Set(isAllChosen ? [] : ids))}
									/>
									<span className="visually-hidden">{t("selectAll")}</span>
								</label>
							</th>
						) : null}
						{columns.map((column) => (
							<th key={column.id} scope="col" className={classOf(column)}>
								{column.isActions ? <span className="visually-hidden">{column.title}</span> : column.title}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => {
						const id = rowId(row);
						return (
							<tr key={id} {...(selection?.chosen.has(id) ? { "data-chosen": true } : {})}>
								{selection ? (
									<td className="cell-narrow cell-choice">
										<input
											type="checkbox"
											aria-label={t("selectRow", { name: selection.nameOf(id) })}
											checked={selection.chosen.has(id)}
											onChange={({ nativeEvent }) => choose(id, (nativeEvent as MouseEvent).shiftKey)}
										/>
									</td>
								) : null}
								{columns.map((column, at) => (
									<td
										key={column.id}
										className={classOf(column)}
										data-place={placeOf(column, at)}
										data-title={column.title}
									>
										{column.cell(row)}
									</td>
								))}
							</tr>
						);
					})}
				</tbody>
			</table>
		</section>
	);
}

type SelectionBarProps = {
	readonly count: number;
	readonly onClear: () => void;
	/** What can be done with the chosen rows. */
	readonly children: ReactNode;
};

/** Stays in sight below a table while rows are chosen. */
export function SelectionBar({ count, onClear, children }: SelectionBarProps) {
	const t = useWords(kitWords);
	const chosen = t("chosen", { count: useFormat().count(count) });
	return (
		<section className="selection" aria-label={chosen}>
			<strong className="number" role="status">
				{chosen}
			</strong>
			{children}
			<Button kind="quiet" isIcon icon={<X aria-hidden />} onClick={onClear}>
				{t("unselect")}
			</Button>
		</section>
	);
}

/** Sets a filter in the address, or removes it; the list begins again at its first page. */
export function useSetParam(): (name: string, value: string | null) => void {
	const [, setParams] = useSearchParams();
	return (name, value) =>
		setParams(
			(now) => {
				const next = new URLSearchParams(now);
				next.delete("after");
				if (value) next.set(name, value);
				else next.delete(name);
				return next;
			},
			{ replace: true },
		);
}

/** Which page is shown is in the address. Lists are read forwards; back leads the browser's own way, which keeps its place. */
export function Pages({ next }: { readonly next: string | null }) {
	const t = useWords(kitWords);
	const [path] = useLocation();
	const [params] = useSearchParams();
	const isFirst = !params.has("after");
	if (isFirst && next === null) return null;
	const hrefTo = (after: string | null) => {
		const query = new URLSearchParams(params);
		query.delete("after");
		if (after !== null) query.set("after", after);
		return query.size > 0 ? `${path}?${query}` : path;
	};
	return (
		<nav className="pages" aria-label={t("pages")}>
			{isFirst ? null : <LinkButton href={hrefTo(null)}>{t("first")}</LinkButton>}
			{isFirst ? null : (
				<Button icon={<ChevronLeft aria-hidden />} onClick={() => history.back()}>
					{t("previous")}
				</Button>
			)}
			{next === null ? null : (
				<LinkButton href={hrefTo(next)} icon={<ChevronRight aria-hidden />}>
					{t("next")}
				</LinkButton>
			)}
		</nav>
	);
}
