import pino from "pino";
import { type LogFormat, toLogText } from "./log-text";
import { writeLine } from "./output";
import { currentSpan, isTracing } from "./tracing";

/** The stable name of what a log line reports: a noun and a verb, such as `endpoint.delivery_failed`. One name for one fact. */
export type LogEvent = `${string}.${string}`;

type LogFields = { readonly event: LogEvent } & Readonly<Record<string, unknown>>;
type Write = (fields: LogFields, message: string) => void;

/**
 * JSON lines on stdout, or readable ones on a terminal. Every line has an event. Secrets are removed by name anywhere in a logged object. This is a second barrier; the
 * first is that no code logs bodies or credentials.
 */
export type Log = {
	readonly debug: Write;
	readonly info: Write;
	readonly warn: Write;
	readonly error: Write;
	readonly fatal: Write;
	readonly isLevelEnabled: (level: string) => boolean;
	/** A log with other redaction, for lines whose members are all known to be harmless. */
	readonly child: (bindings: object, options: { redact: string[] }) => Log;
};

const SECRET_NAMES = [
	"authorization",
	"x-api-key",
	"apiKey",
	"key",
	"password",
	"pkcs12",
	"secret",
	"clientSecret",
	"client_secret",
	"access_token",
	"refresh_token",
	"token",
	"pdfLogo",
	"certificate",
	"parameters",
	"args",
	"query",
];

const paths = SECRET_NAMES.flatMap((name) => {
	const member = name.includes("-") ? `["${name}"]` : `.${name}`;
	const top = name.includes("-") ? `["${name}"]` : name;
	return [top, `*${member}`, `*.*${member}`];
});

/** `name` identifies the thread. Lines name their trace if tracing was started before. */
export function createLog(level: string, name: string, format: LogFormat = "json"): Log {
	const options: pino.LoggerOptions = {
		level,
		base: { name },
		redact: { paths, censor: "[hidden]" },
		timestamp: pino.stdTimeFunctions.isoTime,
		formatters: { level: (label) => ({ level: label }) },
		serializers: { err: describeError },
		...(isTracing() ? { mixin: nameTrace } : {}),
	};
	return pino(options, { write: format === "json" ? writeLine : (line) => writeLine(toLogText(line)) });
}

/** Lines that are written within a span name its trace. */
function nameTrace(): object {
	const span = currentSpan();
	return span ? { traceId: span.traceId } : {};
}

/** An error as loggable data. Database errors contain their parameters, which must not reach a log. */
export function describeError(error: unknown): Record<string, unknown> {
	if (!(error instanceof Error)) return { message: String(error) };
	const code = (error as Error & { code?: unknown }).code;
	return {
		type: error.name,
		message: error.message,
		...(typeof code === "string" ? { code } : {}),
		stack: error.stack,
		...(error.cause ? { cause: describeError(error.cause) } : {}),
	};
}
