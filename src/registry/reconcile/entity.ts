/** What programs show of an entity: the service's description, the properties of an entry, columns of them, and a small page. */
import { type Static, Type } from "@sinclair/typebox";
import { msg, Problem } from "../../platform/problem";
import { parseTaxpayerDocument } from "../../platform/values";
import type { RegistryEntry } from "../entry";
import type { RegistryView } from "../runs";
import { normaliseText } from "../words";
import { BATCH_MAX, readJsonText, TYPES } from "./queries";

type Property = { readonly id: keyof RegistryEntry; readonly name: string };
export const PROPERTIES: readonly Property[] = [
	{ id: "rnc", name: "RNC o cédula" },
	{ id: "name", name: "Razón social" },
	{ id: "trade_name", name: "Nombre comercial" },
	{ id: "status", name: "Estado" },
	{ id: "economic_activity", name: "Actividad económica" },
	{ id: "payment_regime", name: "Régimen de pagos" },
];

/** Those whose id or name has the text; all for an empty one. */
export function findProperties(text: string): readonly Property[] {
	const sought = normaliseText(text);
	return PROPERTIES.filter(({ id, name }) =>
		[id.replaceAll("_", " "), name].some((one) => normaliseText(one).includes(sought)),
	);
}

const Reference = Type.Object({ id: Type.String(), name: Type.String() });
const Address = Type.Object({ service_url: Type.String(), service_path: Type.String() });

/** Source: Reconciliation Service API 0.2, the service manifest. */
export const ReconcileManifest = Type.Object(
	{
		versions: Type.Array(Type.String()),
		name: Type.String(),
		identifierSpace: Type.String({ description: "The same for all links: ids are taxpayers' numbers." }),
		schemaSpace: Type.String(),
		defaultTypes: Type.Array(Reference),
		documentation: Type.String(),
		view: Type.Optional(
			Type.Object(
				{ url: Type.String() },
				{ description: "A taxpayer's public page; absent where the service has none." },
			),
		),
		preview: Type.Object({ url: Type.String(), width: Type.Integer(), height: Type.Integer() }),
		suggest: Type.Object({ entity: Address, property: Address }),
		extend: Type.Object({ propose_properties: Address, property_settings: Type.Array(Type.Unknown()) }),
		batchSize: Type.Integer(),
	},
	{ $id: "ReconcileManifest" },
);
type ReconcileManifest = Static<typeof ReconcileManifest>;

/** The link itself is in no address that ends up in exported data. */
export function toManifest(baseUrl: string, capability: string, viewUrl: string | undefined): ReconcileManifest {
	const service_url = `${baseUrl}/v1/reconcile/${capability}`;
	return {
		versions: ["0.2"],
		name: "Registro de contribuyentes (RNC)",
		identifierSpace: `${baseUrl}/v1/authority/document/`,
		schemaSpace: `${baseUrl}/openapi.json#/components/schemas/RegistryEntry`,
		defaultTypes: TYPES.map((type) => ({ ...type })),
		documentation: `${baseUrl}/docs`,
		...(viewUrl === undefined ? {} : { view: { url: viewUrl } }),
		preview: { url: `${service_url}/preview?id={{id}}`, width: 430, height: 260 },
		suggest: {
			entity: { service_url, service_path: "/suggest/entity" },
			property: { service_url, service_path: "/suggest/property" },
		},
		extend: { propose_properties: { service_url, service_path: "/properties" }, property_settings: [] },
		batchSize: BATCH_MAX,
	};
}

export const ReconcileExtension = Type.Object(
	{
		ids: Type.Array(Type.String({ maxLength: 40 }), { maxItems: BATCH_MAX, description: "Numbers." }),
		properties: Type.Array(Type.Object({ id: Type.String() }), {
			maxItems: PROPERTIES.length,
			description: `Of ${PROPERTIES.map(({ id }) => `\`${id}\``).join(", ")}.`,
		}),
	},
	{ $id: "ReconcileExtension" },
);

/** Throws: malformed-json, validation-error. */
export function readExtension(text: string): { readonly ids: readonly string[]; readonly properties: Property[] } {
	const { ids, properties } = readJsonText<Static<typeof ReconcileExtension>>("extend", text, ReconcileExtension);
	const faults = properties.flatMap(({ id }, i) =>
		PROPERTIES.some((one) => one.id === id)
			? []
			: [{ pointer: `/extend/properties/${i}/id`, code: "unknown-property", detail: msg`Is no property of an entry.` }],
	);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return { ids, properties: properties.flatMap(({ id }) => PROPERTIES.filter((one) => one.id === id)) };
}

/** The columns of an extension; a number without an entry, and an empty value, has an empty list. */
export function extend(view: Pick<RegistryView, "lookup">, { ids, properties }: ReturnType<typeof readExtension>) {
	let found = 0;
	const rows = new Map<string, Record<string, { readonly str: string }[]>>();
	for (const id of ids) {
		const document = parseTaxpayerDocument(id);
		const entry = document && view.lookup(document);
		if (entry && !rows.has(id)) found++;
		const cells = properties.map((property) => {
			const value = entry?.[property.id] ?? "";
			return [property.id, value === "" ? [] : [{ str: value }]] as const;
		});
		rows.set(id, Object.fromEntries(cells));
	}
	const meta = properties.map(({ id, name }) => ({ id, name }));
	return { found, body: { meta, rows: Object.fromEntries(rows) } };
}

export const LANGUAGES = ["es", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

const WORDS: Readonly<Record<Language, Readonly<Record<keyof RegistryEntry | "copy" | "missing", string>>>> = {
	es: {
		...{ rnc: "RNC o cédula", name: "Razón social", trade_name: "Nombre comercial", status: "Estado" },
		...{ economic_activity: "Actividad económica", payment_regime: "Régimen de pagos" },
		...{ copy: "Copia del registro confirmada el", missing: "El registro no tiene este número." },
	},
	en: {
		...{ rnc: "RNC or cédula", name: "Legal name", trade_name: "Commercial name", status: "Status" },
		...{ economic_activity: "Activity", payment_regime: "Payment regime" },
		...{ copy: "Copy of the registry confirmed on", missing: "The registry does not have this number." },
	},
};

const STYLE =
	"body{font:14px/1.4 system-ui,sans-serif;margin:12px;color:#222}h1{font-size:16px;margin:0 0 8px}dl{margin:0;display:grid;grid-template-columns:auto 1fr;gap:2px 12px}dt{color:#555}dd{margin:0}p{color:#555;font-size:12px}";

/** Runs and loads nothing, wherever it is framed. */
export const PREVIEW_HEADERS = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy":
		"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; sandbox",
	"cache-control": "private, no-store",
	"referrer-policy": "no-referrer",
	"x-robots-tag": "noindex",
};

/** A small page about an entry, or that there is none. `day` is when our copy was last confirmed. */
export function renderPreview(entry: RegistryEntry | undefined, day: string, language: Language): string {
	const words = WORDS[language];
	const title = entry?.name ?? words.missing;
	const rows = entry
		? PROPERTIES.filter(({ id }) => id !== "name" && entry[id] !== "")
				.map(({ id }) => `<dt>${words[id]}</dt><dd>${Bun.escapeHTML(entry[id])}</dd>`)
				.join("")
		: "";
	return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<title>${Bun.escapeHTML(title)}</title>
<style>${STYLE}</style>
<h1>${Bun.escapeHTML(title)}</h1>
${entry ? `<dl>${rows}</dl>` : ""}
<p>${words.copy} ${day}.</p>
</html>
`;
}
