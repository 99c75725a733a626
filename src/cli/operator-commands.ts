/** The tables of the commands that run in a clone of the service. */
import type { Command, Program, Texts } from "./command-table";

const HELP: Texts = { en: "Shows this text and starts nothing", es: "Muestra este texto y no inicia nada" };
const EVERYWHERE = { everywhere: "[-h|--help]", means: { help: HELP } };

/** What `up` and `start` share. */
const STARTING = {
	...EVERYWHERE,
	commands: {
		"": {
			takes: "[--replace] [--allow-trial-defaults]",
			en: "",
			es: "",
			means: {
				replace: {
					en: "Takes the port over from the process that holds it, without a gap",
					es: "Toma el puerto del proceso que lo tiene, sin interrupción",
				},
				"allow-trial-defaults": {
					en: "Starts outside the sandboxes although a setting has a default meant for trials",
					es: "Inicia fuera de los ambientes de pruebas aunque un ajuste tenga un valor de prueba",
				},
			},
		},
	},
	after: {
		en: "Settings come from the environment; see the guide to settings. Ctrl+C stops.",
		es: "Los ajustes vienen del entorno; vea la guía de ajustes. Ctrl+C lo detiene.",
	},
} as const;

/** Programs with a single command, by the name of their script. */
export const PROGRAMS = {
	up: {
		call: "bun run up",
		en: "Installs the locked dependencies and starts the service with all that it needs.",
		es: "Instala las dependencias fijadas e inicia el servicio con todo lo que necesita.",
		...STARTING,
	},
	start: {
		call: "bun start",
		en: "Starts the service without installing.",
		es: "Inicia el servicio sin instalar nada.",
		...STARTING,
	},
	quickstart: {
		call: "bun run quickstart",
		en: "Runs the whole flow once, from a company to a verified webhook, in a temporary folder.",
		es: "Ejecuta el flujo completo una vez, desde una empresa hasta un webhook verificado, en una carpeta temporal.",
		...EVERYWHERE,
		commands: { "": { en: "", es: "" } },
	},
	simulator: {
		call: "bun run simulator",
		en: "Runs the authority's simulator alone.",
		es: "Ejecuta solo el simulador de la autoridad.",
		...EVERYWHERE,
		commands: { "": { en: "", es: "" } },
		after: {
			en: "PORT, HOST, SIMULATOR_DATA, SIMULATOR_DELAY_MS and SIMULATOR_CONTROL come from the environment.",
			es: "PORT, HOST, SIMULATOR_DATA, SIMULATOR_DELAY_MS y SIMULATOR_CONTROL vienen del entorno.",
		},
	},
	verify: {
		call: "bun run verify",
		en: "Verifies evidence files without a service, a database or a network.",
		es: "Verifica archivos de evidencia sin servicio, base de datos ni red.",
		...EVERYWHERE,
		commands: {
			"": {
				takes: "[--key KEY] [--ca FILE] [--checkpoint FILE] [--consistency FILE] [--lang en|es] [--json] FILE.zip…",
				en: "",
				es: "",
				means: {
					key: {
						en: "The archive's verifier key (name+hash+base64), which must match the file's",
						es: "La clave verificadora del archivo (nombre+hash+base64), igual a la de la evidencia",
					},
					ca: {
						en: "Certificate authorities in PEM; one of them must have issued the signer's certificate",
						es: "Autoridades de certificación en PEM; una de ellas debe haber emitido el certificado",
					},
					checkpoint: {
						en: "Another checkpoint of the same archive, which must be consistent with the file's",
						es: "Otro punto de control del mismo archivo, consistente con el de la evidencia",
					},
					consistency: {
						en: "The proof that the larger tree extends the smaller one, as the service returns it",
						es: "La prueba de que el árbol mayor extiende al menor, como la devuelve el servicio",
					},
					lang: { en: "Language of the result", es: "Idioma del resultado" },
					json: { en: "One JSON document instead of lines", es: "Un documento JSON en lugar de líneas" },
				},
			},
		},
		after: {
			en: "Exits with 0 if every file is good, 1 if one is not, 2 if the command cannot run.",
			es: "Termina con 0 si todos los archivos están bien, 1 si alguno no, 2 si no puede ejecutarse.",
		},
	},
	bench: {
		call: "bun bench",
		en: "Runs the benchmarks, all or those that are named.",
		es: "Ejecuta las mediciones, todas o las nombradas.",
		...EVERYWHERE,
		commands: {
			"": {
				takes: "[--smoke] [--against REF] [NAME…]",
				en: "",
				es: "",
				means: {
					smoke: {
						en: "A short run that only proves that they work; its figures mean nothing",
						es: "Una corrida corta que solo prueba que funcionan; sus cifras no valen",
					},
					against: {
						en: "Measures the service of another commit, or of another folder, in the same rounds",
						es: "Mide el servicio de otro commit, o de otra carpeta, en las mismas rondas",
					},
				},
			},
		},
	},
	check: {
		call: "bun run check",
		en: "Checks everything that must hold before a change lands.",
		es: "Comprueba todo lo que debe cumplirse antes de integrar un cambio.",
		...EVERYWHERE,
		commands: {
			"": {
				takes: "[--only format|types|supply-chain|changelog|openapi|tests] [--processes COUNT] [--sbom FILE]",
				en: "",
				es: "",
				means: {
					only: { en: "One step instead of all", es: "Un paso en lugar de todos" },
					processes: {
						en: "Test processes; default: one more than there are cores, at most 4",
						es: "Procesos de pruebas; por defecto: uno más que los núcleos, 4 como máximo",
					},
					sbom: {
						en: "Where the bill of materials goes; default: .data/sbom.json",
						es: "Dónde se escribe la lista de componentes; por defecto: .data/sbom.json",
					},
				},
			},
		},
	},
} as const satisfies Record<string, Program>;

const ADMIN_COMMANDS = {
	"keys create": {
		takes:
			"--plan PLAN --label NAME [--environment E] [--scopes a,b] [--owner ID] [--contacts a@b,c@d] [--expires DATE] [--addresses CIDR,CIDR]",
		en: "Creates an API key and shows it once",
		es: "Crea una clave y la muestra una sola vez",
		means: {
			plan: {
				en: "demo, free, starter, business, enterprise or unlimited",
				es: "demo, free, starter, business, enterprise o unlimited",
			},
			label: { en: "Up to 100 characters", es: "Hasta 100 caracteres" },
			environment: {
				en: "That of this deployment, which is the default",
				es: "El de esta instalación, que es el valor por defecto",
			},
			scopes: {
				en: "Default: all except registry:purge and admin",
				es: "Por defecto: todos menos registry:purge y admin",
			},
			owner: { en: "An owner that has keys already", es: "Un propietario que ya tiene claves" },
			contacts: { en: "Mail addresses for announcements", es: "Correos para los avisos" },
			expires: {
				en: "Last moment of the key: a day, valid through its end (UTC-4), or a time with zone",
				es: "Último momento de la clave: un día, válido hasta su final (UTC-4), o una hora con zona",
			},
			addresses: { en: "Addresses that may use the key", es: "Direcciones que pueden usar la clave" },
		},
	},
	"keys list": { en: "Lists keys", es: "Lista las claves" },
	"keys revoke": { takes: "ID", en: "Revokes a key", es: "Revoca una clave" },
	"keys-signing rotate": {
		takes: "[--at-once]",
		en: "Changes the signing key of access tokens",
		es: "Cambia la clave que firma los tokens",
		means: { "at-once": { en: "Invalidates all tokens", es: "Invalida todos los tokens" } },
	},
	"keys-encryption rotate": {
		takes: "--to FILE",
		en: "Wraps every stored secret under another key-encryption key",
		es: "Cifra todos los secretos con otra clave maestra",
	},
	"tenants list": { en: "Lists companies", es: "Lista las empresas" },
	"tenants suspend": { takes: "ID", en: "Suspends a company", es: "Suspende una empresa" },
	"tenants resume": { takes: "ID", en: "Resumes a suspended company", es: "Reanuda una empresa suspendida" },
	"tenants close": { takes: "ID", en: "Closes a company", es: "Cierra una empresa" },
	"console invite": {
		takes: "--email E [--owner ID] [--role ROLE] [--companies ID,ID] [--operator] [--lang es|en]",
		en: "Invites a person to the console, by mail and with a printed link",
		es: "Invita a una persona a la consola, por correo y con un enlace impreso",
		means: {
			email: { en: "The person's mail address", es: "El correo de la persona" },
			owner: { en: "The owner whose companies the person sees", es: "El propietario cuyas empresas ve la persona" },
			role: { en: "viewer, accountant, developer or owner", es: "viewer, accountant, developer u owner" },
			companies: { en: "Some of them; default: all", es: "Algunas de ellas; por defecto: todas" },
			operator: { en: "To operate the service, without companies", es: "Para operar el servicio, sin empresas" },
			lang: { en: "Language of the mail", es: "Idioma del correo" },
		},
	},
	"console link": {
		en: "Prints a link that opens the console of a local sandbox once",
		es: "Imprime un enlace que abre una vez la consola de un ambiente de pruebas local",
	},
	"console users": { en: "Lists people with their roles", es: "Lista las personas con sus roles" },
	"console sessions end": {
		takes: "USER",
		en: "Ends all sessions of a person",
		es: "Termina todas las sesiones de una persona",
	},
	"console reset": {
		takes: "USER",
		en: "Removes a person's factors and mails a recovery link",
		es: "Elimina los factores de una persona y envía un enlace de recuperación",
	},
	"console disable": { takes: "USER", en: "Closes a person's account", es: "Cierra la cuenta de una persona" },
	"registry ingest": {
		takes: "[--source PATH] [--force]",
		en: "Reads the taxpayer file now",
		es: "Lee ahora el archivo de contribuyentes",
		means: {
			source: { en: "A path or an https address", es: "Una ruta o una dirección https" },
			force: { en: "Accepts large changes", es: "Acepta cambios grandes" },
		},
	},
	"registry runs": { en: "Lists ingest runs", es: "Lista las cargas" },
	"registry refused": {
		takes: "[RUN]",
		en: "Shows lines that a run could not read",
		es: "Muestra líneas que una carga no pudo leer",
	},
	"registry rollback": { takes: "RUN", en: "Returns to an earlier run", es: "Vuelve a una carga anterior" },
	"registry subject": {
		takes: "NUMBER",
		en: "Shows all that the registry holds on a number",
		es: "Muestra todo lo que el registro tiene de un número",
	},
	"registry rotate-key": {
		en: "Makes a new key for attestations and receipts",
		es: "Crea una clave nueva para las constancias",
	},
	"registry history import": {
		takes: "FILE --as-of DATE [--apply]",
		en: "Imports an older file of the authority",
		es: "Importa un archivo anterior de la autoridad",
		means: {
			"as-of": { en: "The day at whose end it was current", es: "El día a cuyo final estaba vigente" },
			apply: {
				en: "Writes; without it, shows what it would write",
				es: "Escribe; sin ella, muestra lo que escribiría",
			},
		},
	},
	"owners grant": {
		takes: "ID downloads --persons --terms REF",
		en: "Lets an owner download natural persons",
		es: "Permite a un propietario descargar personas físicas",
		means: { terms: { en: "The agreement's reference", es: "La referencia del acuerdo" } },
	},
	"owners revoke": { takes: "ID downloads", en: "Ends that", es: "Termina ese permiso" },
	"owners usage": {
		takes: "ID [--from DATE] [--to DATE]",
		en: "Sums an owner's billable units by operation",
		es: "Suma las unidades facturables de un propietario por operación",
	},
	"webhooks dead": { en: "Lists dead letters", es: "Lista las entregas abandonadas" },
	"webhooks redispatch": {
		takes: "ID|--all",
		en: "Sends dead letters again",
		es: "Vuelve a enviar entregas abandonadas",
	},
	"reports verify": {
		en: "Compares all report sums with the documents",
		es: "Compara las sumas de los informes con los documentos",
	},
	"reports rebuild": { en: "Rebuilds the report sums", es: "Recalcula las sumas de los informes" },
	"announcements send": {
		takes: "[--dry-run]",
		en: "Mails changelog announcements to the contacts of keys",
		es: "Envía por correo los avisos de cambios a los contactos",
	},
	"archive verify": { en: "Reads and checks the whole archive", es: "Lee y comprueba todo el archivo" },
	"archive restore": {
		en: "Rebuilds the database's archive index from the store",
		es: "Reconstruye el índice del archivo a partir del almacén",
	},
	"archive export": {
		takes: "DOC_ID --out DIR",
		en: "Writes the signed XML and the authority's answers to files",
		es: "Escribe el XML firmado y las respuestas de la autoridad en archivos",
	},
	"archive rotate-key": {
		en: "Makes a new key for archive checkpoints",
		es: "Crea una clave nueva para los puntos de control",
	},
	"archive retain": {
		takes: "--tenant ID|--document ID --until DATE",
		en: "Keeps documents longer",
		es: "Conserva documentos por más tiempo",
	},
	"shards list": { en: "Lists shards with the process that runs them", es: "Lista los fragmentos con su proceso" },
	"shards release": {
		takes: "NODE",
		en: "Takes a process's shards away from it at once",
		es: "Quita de inmediato los fragmentos de un proceso",
	},
	"partitions list": { en: "Lists partitions with their sizes", es: "Lista las particiones con su tamaño" },
	"database check": {
		en: "Compares the database with the schema files",
		es: "Compara la base de datos con los archivos del esquema",
	},
	"deployment set": {
		takes: "NAME [VALUE]",
		en: "Changes a setting that all processes share",
		es: "Cambia un ajuste que todos los procesos comparten",
	},
	deployment: { en: "Lists shared settings and processes", es: "Lista los ajustes comunes y los procesos" },
	"fleet reconcile": {
		takes: "[--all] [--skip COUNT]",
		en: "Finds numbers that a failover lost, so that others may be given",
		es: "Encuentra números que una conmutación perdió, para poder dar otros",
	},
	backup: {
		takes: "--to FOLDER|s3://BUCKET/PREFIX [--recovery-key FILE]",
		en: "Writes all tables to a folder or bucket",
		es: "Escribe todas las tablas en una carpeta o un bucket",
	},
	restore: {
		takes: "--from FOLDER|s3://BUCKET/PREFIX [--recovery-key FILE]",
		en: "Puts a backup into an empty database, and verifies the whole",
		es: "Carga una copia en una base vacía y verifica el conjunto",
	},
} as const satisfies Record<string, Command>;

export type AdminCommand = keyof typeof ADMIN_COMMANDS;

export const ADMIN: Program<AdminCommand> = {
	call: "bun run admin",
	en: "Operator's commands on the database that the configuration names, the embedded one of a running service included.",
	es: "Comandos del operador sobre la base de datos configurada, también la incorporada de un servicio en marcha.",
	everywhere: "[--json] [-h|--help]",
	means: { json: { en: "One JSON document", es: "Un documento JSON" }, help: HELP },
	commands: ADMIN_COMMANDS,
};

/** All programs of a clone, in the order in which the guide lists them. */
export const OPERATOR_PROGRAMS: readonly Program[] = [...Object.values(PROGRAMS), ADMIN];
