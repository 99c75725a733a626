/**
 * Which SQL statements touch a tenant's table without naming the tenant. A table is named for its tenant by a comparison of its `tenant_id`, by
 * `using (tenant_id, …)` or by an insert that fills the column. Comparing two tables of one `from` with each other names the tenant of the joined
 * table alone, because something must still fix the tenant of the first.
 *
 * Quirk: statements are read from the text of templates. A fragment of the same file is put in where its name stands; others are not.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isStatement } from "./tables";

/** Where a statement misses a tenant: the file, and the function around it with the table. */
export type Miss = { readonly path: string; readonly where: string };

/** The column that holds the tenant of a table, or undefined for a table across tenants. */
export type ColumnOf = (table: string) => string | undefined;

type Template = { readonly at: number; readonly parts: readonly (string | Hole)[] };
type Hole = { readonly code: string; readonly templates: readonly Template[] };

/** Misses in a source file of TypeScript, in its order, each once. */
export function findMissesInSource(path: string, text: string, columnOf: ColumnOf): Miss[] {
	const { templates } = readCode(text, 0);
	const holders = [...text.matchAll(/^(?:export )?(?:async )?(?:function\*? ?|const |class |type )(\w+)/gm)];
	const holderAt = (at: number) => holders.findLast(({ index }) => index <= at)?.[1] ?? "";
	const fragments = Map.groupBy(templates.flatMap(withNested), ({ at }) => holderAt(at));
	const misses = templates.flatMap(withNested).flatMap((template) => {
		const holder = holderAt(template.at);
		const direct = template.parts.map((part) => (typeof part === "string" ? part : "$")).join("");
		const statement = render(template, fragments, new Set([holder]));
		const named = new Set(findTables(direct, columnOf));
		return findUnnamed(statement, columnOf)
			.filter((table) => named.has(table))
			.map((table) => `${holder}: ${table}`);
	});
	return [...new Set(misses)].map((where) => ({ path, where }));
}

/** Misses in the file of an SQL function. */
export function findMissesInFunction(path: string, text: string, columnOf: ColumnOf): Miss[] {
	const name = basename(path, ".sql");
	const misses = text.split(";").flatMap((statement) => findUnnamed(statement, columnOf));
	return [...new Set(misses)].map((table) => ({ path, where: `${name}: ${table}` }));
}

/** Misses in all of `src`, except what the simulator keeps. */
export function findMisses(root: string, columnOf: ColumnOf): Miss[] {
	const sources = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: root })].filter(
		(path) => !path.startsWith("src/simulator/"),
	);
	const folder = "src/platform/database/functions";
	const functions = readdirSync(join(root, folder)).filter((name) => name.endsWith(".sql"));
	return [
		...sources.sort().flatMap((path) => findMissesInSource(path, readFileSync(join(root, path), "utf8"), columnOf)),
		...functions
			.sort()
			.map((name) => join(folder, name))
			.flatMap((path) => findMissesInFunction(path, readFileSync(join(root, path), "utf8"), columnOf)),
	];
}

function withNested(template: Template): Template[] {
	const nested = template.parts.flatMap((part) => (typeof part === "string" ? [] : part.templates));
	return [template, ...nested.flatMap(withNested)];
}

function render(template: Template, fragments: ReadonlyMap<string, readonly Template[]>, seen: Set<string>): string {
	return template.parts
		.map((part) => {
			if (typeof part === "string") return part;
			const inside = part.templates.map((nested) => render(nested, fragments, seen));
			const named = [...part.code.matchAll(/\b\w+\b/g)]
				.filter(([name]) => fragments.has(name) && !seen.has(name))
				.flatMap(([name]) =>
					(fragments.get(name) ?? []).map((one) => render(one, fragments, new Set([...seen, name]))),
				);
			// An insert of objects.
			const filled = /\btenant_id:/.test(part.code) ? ["(tenant_id)"] : [];
			return ` ${[...filled, ...inside, ...named].join(" ") || "$"} `;
		})
		.join("");
}

const TABLE = /\b(from|join|into|update|using)\s+(?:only\s+)?([a-z_]+)(?:\s+(?:as\s+)?([a-z_]+))?/g;
const NO_ALIAS = new Set([
	...["where", "set", "on", "using", "join", "left", "right", "inner", "cross", "full", "natural", "order", "group"],
	...[
		"limit",
		"for",
		"values",
		"select",
		"returning",
		"having",
		"union",
		"offset",
		"default",
		"loop",
		"as",
		"overriding",
	],
]);

function findTables(text: string, columnOf: ColumnOf): string[] {
	return [...text.matchAll(TABLE)].map(([, , table = ""]) => table).filter((table) => columnOf(table) !== undefined);
}

/** The tenants' tables that a statement does not name the tenant of. */
function findUnnamed(statement: string, columnOf: ColumnOf): string[] {
	const plain = statement.replace(/--.*$/gm, "").replace(/'(?:[^']|'')*'/g, "''");
	return readScopes(plain).flatMap(({ own, whole }) => {
		const tables = [...own.matchAll(TABLE)]
			.map(([, verb = "", table = "", alias = ""]) => ({
				verb,
				table,
				alias: alias && !NO_ALIAS.has(alias) ? alias : table,
			}))
			.flatMap((one) => {
				const column = columnOf(one.table);
				return column ? [{ ...one, column }] : [];
			});
		const aliases = tables.map(({ alias }) => alias).join("|");
		const between = new RegExp(`\\b(?:${aliases})\\.\\w+_id = (?:${aliases})\\.\\w+_id\\b`, "g");
		return tables
			.filter(({ verb, table, alias, column }) => {
				if (verb === "into" && new RegExp(`into ${table}(?: (?:as )?\\w+)?\\s*\\([^)]*\\b${column}\\b`).test(own))
					return false;
				const joined = new RegExp(`join ${table}(?: ${alias})? using \\([^)]*\\b${column}\\b`).test(own);
				if (verb === "join" && joined) return false;
				const isFixed = (text: string, column: string) =>
					new RegExp(
						`${column}(?: =| in\\b| is\\b|(?:, [\\w.]+)*\\) (?:=|in\\b))|= ${column}\\b|in \\(?${column}`,
					).test(text);
				const qualified = verb === "join" ? whole : whole.replace(between, "");
				return !isFixed(qualified, `\\b${alias}\\.${column}`) && !isFixed(own, `(?<![.\\w])${column}`);
			})
			.map(({ table }) => table);
	});
}

/** Each select of a statement: its own text with brackets that hold no other select, and the whole with those. */
function readScopes(statement: string): { own: string; whole: string }[] {
	const scopes: { own: string; whole: string }[] = [];
	const read = (text: string): string => {
		let own = "";
		let from = 0;
		let depth = 0;
		for (const { 0: bracket, index } of text.matchAll(/[()]/g)) {
			depth += bracket === "(" ? 1 : -1;
			if (bracket === "(" && depth === 1) {
				own += text.slice(from, index);
				from = index + 1;
			} else if (bracket === ")" && depth === 0) {
				own += `(${read(text.slice(from, index))})`;
				from = index + 1;
			}
		}
		own += text.slice(from);
		if (!/^\s*(?:select|with|insert|update|delete|merge)\b/.test(own)) return own;
		add(own, text);
		return "";
	};
	const add = (own: string, whole: string) => {
		const [parts, wholes] = [own, whole].map((text) => text.replace(/\s+/g, " ").split(/\bunion (?:all )?/));
		for (const [i, part] of (parts ?? []).entries())
			scopes.push({
				own: part,
				whole: parts?.length === wholes?.length ? (wholes?.[i] ?? "") : whole.replace(/\s+/g, " "),
			});
	};
	const rest = read(statement);
	if (rest.trim() !== "") add(rest, statement);
	return scopes;
}

/** Templates and strings of code, up to the bracket that closes what surrounds it. */
function readCode(text: string, start: number): { templates: Template[]; end: number } {
	const templates: Template[] = [];
	let depth = 0;
	let i = start;
	while (i < text.length) {
		const here = text[i] ?? "";
		if (text.startsWith("//", i)) i = endOf(text, "\n", i);
		else if (text.startsWith("/*", i)) i = endOf(text, "*/", i + 2) + 2;
		else if (here === "/" && /(?:[(,=:[!&|?{};]|return|^)\s*$/.test(text.slice(Math.max(0, i - 20), i)))
			i += /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//.exec(text.slice(i, i + 1_000))?.[0].length ?? 1;
		else if (here === '"' || here === "'") {
			const [literal = here] =
				new RegExp(`^${here}(?:\\\\.|[^${here}\\\\\\n])*${here}`).exec(text.slice(i, i + 5_000)) ?? [];
			if (isStatement(literal)) templates.push({ at: i, parts: [literal.slice(1, -1)] });
			i += literal.length;
		} else if (here === "`") {
			const template = readTemplate(text, i);
			templates.push(template.template);
			i = template.end;
		} else {
			if (here === "{") depth++;
			if (here === "}" && depth-- === 0) break;
			i++;
		}
	}
	return { templates, end: i };
}

function readTemplate(text: string, at: number): { template: Template; end: number } {
	const parts: (string | Hole)[] = [];
	let [i, from] = [at + 1, at + 1];
	while (i < text.length && text[i] !== "`") {
		if (text[i] === "\\") i += 2;
		else if (text.startsWith("${", i)) {
			const { templates, end } = readCode(text, i + 2);
			parts.push(text.slice(from, i), { code: text.slice(i + 2, end), templates });
			i = end + 1;
			from = i;
		} else i++;
	}
	parts.push(text.slice(from, i));
	return { template: { at, parts }, end: i + 1 };
}

function endOf(text: string, mark: string, from: number): number {
	const end = text.indexOf(mark, from);
	return end < 0 ? text.length : end;
}
