/** A plain table: columns, rows, a selection if it is wanted, and the pages of a longer list. */
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { useLocation, useSearchParams } from "wouter";
import { useWords } from "../app/language";
import { Button, LinkButton } from "./button";
import { kitWords } from "./words";

export type Column<Row> = {
	readonly id: string;
	readonly title: string;
	/** `end` for numbers. */
	readonly align?: "start" | "end";
	readonly isNarrow?: boolean;
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
	const classOf = ({ align, isNarrow }: Column<Row>) =>
		[align === "end" ? "cell-end" : "", isNarrow ? "cell-narrow" : ""].filter(Boolean).join(" ") || undefined;
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
		<section className="table-scroll" aria-label={caption} tabIndex={0}>
			<table className="table">
				<caption className="visually-hidden">{caption}</caption>
				<thead>
					<tr>
						{selection ? (
							<th scope="col" className="cell-narrow">
								<input
									type="checkbox"
									aria-label={t("selectAll")}
									checked={isAllChosen}
									onChange={() => selection.onChange(new Set(isAllChosen ? [] : ids))}
								/>
							</th>
						) : null}
						{columns.map((column) => (
							<th key={column.id} scope="col" className={classOf(column)}>
								{column.title}
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
									<td className="cell-narrow">
										<input
											type="checkbox"
											aria-label={t("selectRow", { name: selection.nameOf(id) })}
											checked={selection.chosen.has(id)}
											onChange={() => selection.onChange(selection.chosen.symmetricDifference(new Set([id])))}
										/>
									</td>
								) : null}
								{columns.map((column) => (
									<td key={column.id} className={classOf(column)}>
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
