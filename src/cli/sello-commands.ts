/** The table of `sello`, the program for integrators. */
import type { Command, Program } from "./command-table";

const YES = { en: "Does not ask in production", es: "No pregunta en producción" };
const WAIT = { en: "Seconds to wait for the verdict, 0 to 300", es: "Segundos que espera el veredicto, de 0 a 300" };

const COMMANDS = {
	login: {
		takes: "[--demo] [--key KEY] [--client-id ID] [--client-secret SECRET]",
		en: "Checks credentials and keeps them in a profile",
		es: "Comprueba las credenciales y las guarda en un perfil",
		means: {
			demo: {
				en: "The public demo credentials of a sandbox",
				es: "Las credenciales públicas de un ambiente de pruebas",
			},
			key: { en: "API key; asked for on a terminal", es: "Clave de API; se pregunta en una terminal" },
			"client-id": { en: "The company's client id", es: "Identificador de cliente de la empresa" },
			"client-secret": { en: "The company's client secret", es: "Secreto de cliente de la empresa" },
		},
		examples: ["sello login --demo --url http://127.0.0.1:3000"],
	},
	logout: { en: "Removes the profile's credentials", es: "Borra las credenciales del perfil" },
	whoami: {
		en: "Shows the profile, its company and its scopes",
		es: "Muestra el perfil, su empresa y sus permisos",
	},
	"company create": {
		takes: "RNC [--numbers service|client] [--yes]",
		en: "Registers a company; its credentials go into the profile",
		es: "Registra una empresa; sus credenciales pasan al perfil",
		means: {
			numbers: {
				en: "Who numbers its documents: the service (default) or you",
				es: "Quién numera sus documentos: el servicio (por defecto) o usted",
			},
			yes: YES,
		},
	},
	"company credentials": {
		takes: "[ID] [--yes]",
		en: "Gets new client credentials; they go into the profile",
		es: "Obtiene nuevas credenciales de cliente; pasan al perfil",
		means: { ID: { en: "Default: the profile's company", es: "Por defecto: la empresa del perfil" }, yes: YES },
	},
	"invoices create": {
		takes:
			"[-f|--file FILE] [--type 31|32|41|44] [--item TEXT…] [--encf E-NCF] [--customer RNC] [--customer-name NAME] [--prices net|gross] [--wait SECONDS] [--dry-run] [--scenario NAME] [--idempotency-key KEY] [--yes]",
		en: "Issues an invoice",
		es: "Emite un comprobante",
		means: {
			file: {
				en: "The request as JSON; - reads standard input",
				es: "La solicitud en JSON; - lee la entrada estándar",
			},
			type: { en: "Default 32", es: "Por defecto 32" },
			item: {
				en: "Description:quantity:unit price[:tax rate]",
				es: "Descripción:cantidad:precio unitario[:tasa]",
			},
			encf: { en: "Its number; default: the next one", es: "Su e-NCF; por defecto: el siguiente" },
			customer: { en: "The buyer's RNC or cédula", es: "RNC o cédula del comprador" },
			"customer-name": { en: "Default: from the registry", es: "Por defecto: del registro" },
			prices: { en: "Whether prices include ITBIS; default net", es: "Si los precios incluyen ITBIS; por defecto net" },
			wait: WAIT,
			"dry-run": { en: "Checks and stores nothing", es: "Comprueba y no guarda nada" },
			scenario: {
				en: "In a sandbox: accept, reject, conditional, silent, fail …",
				es: "En un ambiente de pruebas: accept, reject, conditional, silent, fail …",
			},
			"idempotency-key": { en: "Default: a new one", es: "Por defecto: una nueva" },
			yes: YES,
		},
		examples: [
			"sello invoices create --type 32 --item 'Café:1:100.00' --wait 10",
			"sello invoices create -f invoice.json",
		],
	},
	"invoices list": {
		takes: "[--status STATUS] [--type TYPE] [--from DATE] [--to DATE] [--limit COUNT]",
		en: "Lists invoices, the newest first",
		es: "Lista comprobantes, los más nuevos primero",
		means: { limit: { en: "1 to 1000; default 20", es: "De 1 a 1000; por defecto 20" } },
	},
	"invoices get": {
		takes: "ID [--wait SECONDS]",
		en: "Shows an invoice and its verdict",
		es: "Muestra un comprobante y su veredicto",
		means: { wait: WAIT },
	},
	"invoices tail": {
		takes: "[--after SEQUENCE]",
		en: "Prints verdicts as they happen",
		es: "Muestra los veredictos a medida que ocurren",
	},
	"invoices pdf": {
		takes: "ID [--format a4|thermal_80|thermal_58|escpos] [-o|--out FILE]",
		en: "Saves the printed document",
		es: "Guarda el documento impreso",
		means: {
			out: {
				en: "Default: ID.pdf; - writes to standard output",
				es: "Por defecto: ID.pdf; - escribe a la salida estándar",
			},
		},
	},
	"invoices retry": {
		takes: "ID [--yes]",
		en: "Sends a failed invoice again",
		es: "Vuelve a enviar un comprobante fallido",
		means: { yes: YES },
	},
	"prepared list": {
		takes: "[--status waiting|issued|rejected|expired]",
		en: "Lists invoices that agents and colleagues have prepared",
		es: "Lista los comprobantes que agentes y colegas han preparado",
		means: { status: { en: "Default: waiting", es: "Por defecto: waiting" } },
	},
	"prepared show": { takes: "ID", en: "Shows a prepared invoice", es: "Muestra un comprobante preparado" },
	"prepared approve": {
		takes: "ID [--sha256 DIGEST] [--wait SECONDS] [--yes]",
		en: "Issues a prepared invoice after you have seen it",
		es: "Emite un comprobante preparado después de que usted lo ha visto",
		means: {
			sha256: {
				en: "Of the body that you have seen; without it, it is shown and you are asked",
				es: "Del cuerpo que usted ha visto; sin él, se muestra y se le pregunta",
			},
			wait: { en: "Seconds to wait for the verdict, 0 to 25", es: "Segundos que espera el veredicto, de 0 a 25" },
			yes: YES,
		},
	},
	"prepared reject": {
		takes: "ID [--reason TEXT]",
		en: "Rejects a prepared invoice; it can no longer be issued",
		es: "Rechaza un comprobante preparado; ya no puede emitirse",
	},
	"events listen": {
		takes: "[--forward URL] [--types LIST] [--after SEQUENCE] [--secret SECRET]",
		en: "Prints events as they happen and posts them, signed, to a local receiver",
		es: "Muestra los eventos a medida que ocurren y los entrega, firmados, a un receptor local",
		means: {
			forward: { en: "The receiver's address", es: "La dirección del receptor" },
			types: {
				en: "Such as invoice.*,certificate.*; default all",
				es: "Como invoice.*,certificate.*; por defecto todos",
			},
			after: { en: "Starts after this event; default now", es: "Empieza después de este evento; por defecto, ahora" },
			secret: {
				en: "Signing secret whsec_…; default: a new one, printed",
				es: "Secreto de firma whsec_…; por defecto: uno nuevo, que se muestra",
			},
		},
		examples: ["sello events listen --forward http://localhost:8080/hooks"],
	},
	"events trigger": {
		takes: "EVENT [--forward URL] [--secret SECRET]",
		en: "Makes an event happen: a real document in a sandbox, else a signed test event",
		es: "Provoca un evento: un comprobante real en un ambiente de pruebas, o uno de prueba firmado",
		means: {
			forward: { en: "Where a test event goes", es: "Adónde va un evento de prueba" },
			secret: { en: "Signing secret whsec_…", es: "Secreto de firma whsec_…" },
		},
		examples: ["sello events trigger invoice.rejected"],
	},
	"registry lookup": {
		takes: "NUMBER",
		en: "Looks a taxpayer up by RNC or cédula",
		es: "Consulta un contribuyente por RNC o cédula",
	},
	"registry search": {
		takes: "WORDS… [--limit COUNT]",
		en: "Searches taxpayers by name",
		es: "Busca contribuyentes por nombre",
		means: { limit: { en: "1 to 50; default 10", es: "De 1 a 50; por defecto 10" } },
	},
	"registry check": {
		takes: "FILE.csv [--column NAME] [-o|--out FILE] [--fail-on LIST]",
		en: "Checks the numbers of a file; an interrupted run goes on where it ended",
		es: "Comprueba los números de un archivo; si se interrumpe, continúa donde terminó",
		means: {
			column: { en: "Default: the first one that holds numbers", es: "Por defecto: la primera que tiene números" },
			out: { en: "Default: FILE-checked.csv", es: "Por defecto: FILE-checked.csv" },
			"fail-on": {
				en: "Exits with 1 for any of: inactive,missing",
				es: "Termina con 1 si hay alguno: inactive,missing",
			},
		},
		examples: ["sello registry check suppliers.csv --fail-on inactive,missing"],
	},
	explain: {
		takes: "SLUG|CODE",
		en: "Explains a problem of the service or a code of the authority",
		es: "Explica un problema del servicio o un código de la autoridad",
		examples: ["sello explain 614", "sello explain encf-already-used"],
	},
	docs: { takes: "WORDS…", en: "Searches the documentation", es: "Busca en la documentación" },
	open: {
		takes: "docs|invoice [ID]",
		en: "Opens the documentation or an invoice's printed document in the browser",
		es: "Abre la documentación o el documento impreso de un comprobante en el navegador",
	},
	mcp: {
		en: "Serves the tools of /mcp over standard input and output, for agents",
		es: "Ofrece las herramientas de /mcp por entrada y salida estándar, para agentes",
	},
	completion: {
		takes: "bash|zsh|fish",
		en: "Prints a script that completes commands",
		es: "Muestra un script que completa los comandos",
		examples: ["sello completion bash > ~/.local/share/bash-completion/completions/sello"],
	},
	doctor: {
		en: "Checks address, TLS, clock, credentials, scopes, rates and webhooks",
		es: "Comprueba dirección, TLS, reloj, credenciales, permisos, límites y webhooks",
	},
} as const satisfies Record<string, Command>;

export type SelloCommand = keyof typeof COMMANDS;

export const SELLO: Program<SelloCommand> = {
	call: "sello",
	en: "Issues e-CF, follows their verdicts and looks taxpayers up.",
	es: "Emite e-CF, sigue sus veredictos y consulta contribuyentes.",
	everywhere: "[--url URL] [--profile NAME] [--lang en|es] [--json] [--version] [-h|--help]",
	means: {
		url: { en: "The service; default: the profile's", es: "El servicio; por defecto: el del perfil" },
		profile: { en: "Default: the one of the last login", es: "Por defecto: el de la última entrada" },
		lang: { en: "Default: the system's language", es: "Por defecto: el idioma del sistema" },
		json: { en: "One JSON document instead of text", es: "Un documento JSON en lugar de texto" },
		version: { en: "Shows the version", es: "Muestra la versión" },
		help: { en: "Shows this text", es: "Muestra este texto" },
	},
	commands: COMMANDS,
	after: {
		en: [
			"SELLO_URL, SELLO_API_KEY, SELLO_CLIENT_ID and SELLO_CLIENT_SECRET win over the profile. NO_COLOR turns colour off.",
			"Exit codes: 0 done, 1 refused, 2 misuse, 3 credentials, 4 network, 5 rejected by the authority, 130 interrupted.",
		].join("\n"),
		es: [
			"SELLO_URL, SELLO_API_KEY, SELLO_CLIENT_ID y SELLO_CLIENT_SECRET prevalecen sobre el perfil. NO_COLOR quita los colores.",
			"Códigos de salida: 0 hecho, 1 rehusado, 2 mal uso, 3 credenciales, 4 red, 5 rechazado por la autoridad, 130 interrumpido.",
		].join("\n"),
	},
};
