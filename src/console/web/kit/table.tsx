/** A plain table: columns, rows, and a selection if it is wanted. */
import type { ReactNode } from "react";
import { useWords } from "../app/language";
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
