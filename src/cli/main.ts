/** The program `sello`. It runs on Node.js 20 and on Bun, without dependencies. */
import {
	ApiError,
	AuthenticationError,
	ConnectionError,
	PermissionError,
	RejectedError,
	SelloError,
	TimeoutError,
} from "../sdk/typescript";
import { UsageError } from "./arguments";
import { createCompany, login, logout, renewCredentials, whoami } from "./commands/account";
import { examine } from "./commands/doctor";
import { listen, tailInvoices, trigger } from "./commands/events";
import { createInvoice, getInvoice, listInvoices, retryInvoice, saveInvoice } from "./commands/invoices";
import { complete, explain, open, searchDocs } from "./commands/knowledge";
import { serveMcp } from "./commands/mcp";
import { approvePrepared, listPrepared, rejectPrepared, showPrepared } from "./commands/prepared";
import { check, lookUp, search } from "./commands/registry";
import { createContext, Refusal, type Run, reasonOf } from "./context";
import { ProfileError } from "./profile";
import { SELLO, type SelloCommand } from "./sello-commands";
import { EXIT, takeOrder } from "./take-order";
import { openTerminal, type Terminal } from "./terminal";

/** Written by the build. */
const VERSION = "{{version}}";

const RUNS: Readonly<Record<SelloCommand, Run>> = {
	login,
	logout,
	whoami,
	"company create": createCompany,
	"company credentials": renewCredentials,
	"invoices create": createInvoice,
	"invoices list": listInvoices,
	"invoices get": getInvoice,
	"invoices tail": tailInvoices,
	"invoices pdf": saveInvoice,
	"invoices retry": retryInvoice,
	"prepared list": listPrepared,
	"prepared show": showPrepared,
	"prepared approve": approvePrepared,
	"prepared reject": rejectPrepared,
	"events listen": listen,
	"events trigger": trigger,
	"registry lookup": lookUp,
	"registry search": search,
	"registry check": check,
	explain,
	docs: searchDocs,
	open,
	mcp: serveMcp,
	completion: complete,
	doctor: examine,
};

const { name, args, language } = takeOrder(SELLO, process.argv.slice(2), VERSION);
const terminal = openTerminal(language, args.has("json"));
process.once("SIGINT", () => process.exit(EXIT.interrupted));
// A reader that has seen enough, such as `head`.
process.stdout.on("error", (error: { readonly code?: string }) =>
	process.exit(error.code === "EPIPE" ? 0 : EXIT.refused),
);

try {
	const result = await RUNS[name](createContext(terminal, args, VERSION));
	if (result) {
		if (terminal.isJson) terminal.print(JSON.stringify(result.data));
		else for (const line of result.lines) terminal.print(line);
	}
	process.exitCode = result?.exitCode ?? EXIT.done;
} catch (error) {
	if (process.env.SELLO_DEBUG === "1") console.error(error);
	else for (const line of explainError(error, terminal)) terminal.note(line);
	process.exitCode = exitCodeOf(error);
}

function explainError(error: unknown, { t }: Terminal): string[] {
	if (error instanceof ConnectionError)
		return [t(`no answer: ${reasonOf(error)}`, `sin respuesta: ${reasonOf(error)}`)];
	if (!(error instanceof ApiError)) return [error instanceof Error ? error.message : String(error)];
	const { title, detail, errors, requestId, slug, idempotencyKey } = error;
	return [
		detail === "" ? title : `${title}: ${detail}`,
		...errors.map(({ pointer, detail: one }) => `  ${pointer}: ${one}`),
		...(slug === "" ? [] : [t(`  more: sello explain ${slug}`, `  más: sello explain ${slug}`)]),
		...(requestId === undefined ? [] : [`  requestId ${requestId}`]),
		...(idempotencyKey === undefined ? [] : [`  idempotency-key ${idempotencyKey}`]),
	];
}

function exitCodeOf(error: unknown): number {
	if (error instanceof UsageError) return EXIT.misuse;
	if (error instanceof Refusal) return error.exitCode;
	if (error instanceof ProfileError) return EXIT.credentials;
	if (error instanceof RejectedError) return EXIT.rejected;
	if (error instanceof AuthenticationError || error instanceof PermissionError) return EXIT.credentials;
	if (error instanceof ConnectionError || error instanceof TimeoutError) return EXIT.network;
	// What the library refuses before it asks the service.
	if (error instanceof SelloError && !(error instanceof ApiError)) return EXIT.misuse;
	return EXIT.refused;
}
