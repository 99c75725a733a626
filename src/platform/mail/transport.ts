/**
 * Where e-mail goes: to an SMTP server, or as `.eml` files into a folder where none is configured.
 *
 * A file is named after the message's id, so the same message twice is one file. A server may get it twice: the connection can break after
 * the server has accepted the mail and before it has said so. Both copies then have the same Message-ID.
 *
 * The library needs 8 MiB, so it is loaded with the first e-mail: most processes and threads with a transport never send one.
 */

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { isIPv4 } from "node:net";
import { join } from "node:path";
import type { SendMailOptions } from "nodemailer";
import { memoize } from "../concurrency";
import { newId } from "../values";

export type MailSettings = {
	/** `smtp://user:password@host:port`, or `smtps:` for TLS from the first byte. `none`: mail is off. Absent: files. */
	readonly smtpUrl: string | undefined;
	readonly directory: string;
	readonly from: string;
};

export type MailTransport = {
	readonly from: string;
	/** Whether mail is off. Messages are recorded as skipped then, and not delivered. */
	readonly isOff?: boolean;
	/** Throws: MailRefusedError for what the server will never accept, any other Error for what may be retried. */
	readonly deliver: (id: string, mail: SendMailOptions) => Promise<void>;
	readonly close: () => void;
};

/** Value of `SMTP_URL` that turns mail off. */
export const NO_MAIL = "none";

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * How long to wait for the server. Many scan for viruses and spam before they accept; giving up earlier would send the mail twice. Source:
 * RFC 5321, 4.5.3.2.6.
 */
const SILENCE_TIMEOUT_MS = 600_000;
const SMTP_PORT = 587;
const SMTPS_PORT = 465;
/** Everything that a message refers to is part of it, never a file or a URL to read. */
const SEALED = { disableFileAccess: true, disableUrlAccess: true } as const;

export function openMailTransport(
	{ smtpUrl, directory, from }: MailSettings,
	silenceMaxMs = SILENCE_TIMEOUT_MS,
): MailTransport {
	if (smtpUrl === undefined) return openFolder(directory, from);
	if (smtpUrl !== NO_MAIL) return openServer(new URL(smtpUrl), from, silenceMaxMs);
	const deliver = () => Promise.reject(new MailRefusedError("this service sends no mail (SMTP_URL=none)"));
	return { from, isOff: true, deliver, close: () => undefined };
}

/** Composes each e-mail as for a server and discards it. */
export function openNowhere(from: string): MailTransport {
	const composer = openComposer();
	return { from, deliver: async (_, mail) => void (await composer.compose(mail)), close: composer.close };
}

function openComposer() {
	const composer = openLater(({ createTransport }) =>
		createTransport({ streamTransport: true, buffer: true, newline: "windows", ...SEALED }),
	);
	return {
		async compose(mail: SendMailOptions): Promise<Buffer> {
			const { message } = await (await composer.open()).sendMail(mail);
			if (!Buffer.isBuffer(message)) throw new Error("the mail was not composed in memory");
			return message;
		},
		close: composer.close,
	};
}

/** Loads the library with the first use, and tries again after a failure. */
function openLater<T extends { close(): void }>(make: (library: typeof import("nodemailer")) => T) {
	const get = memoize(async () => make(await import("nodemailer")));
	let opened: Promise<T> | undefined;
	const open = () => {
		opened = get();
		return opened;
	};
	// What could not be opened need not be closed.
	return { open, close: () => void opened?.then((one) => one.close()).catch(() => undefined) };
}

function openFolder(directory: string, from: string): MailTransport {
	const composer = openComposer();
	return {
		from,
		async deliver(id, mail) {
			const message = await composer.compose(mail);
			await mkdir(directory, { recursive: true, mode: 0o700 });
			// Complete or not at all: another program may be reading the folder.
			const draft = join(directory, `.${newId()}`);
			try {
				await writeFile(draft, message, { mode: 0o600 });
				await rename(draft, join(directory, `${id}.eml`));
			} catch (error) {
				// On a full disk each attempt would leave another file.
				await rm(draft, { force: true });
				throw error;
			}
		},
		close: composer.close,
	};
}

/** A name that begins like a loopback address may belong to anyone. */
export function isThisMachine(host: string): boolean {
	return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function openServer(
	{ protocol, hostname, port, username, password }: URL,
	from: string,
	silenceMaxMs: number,
): MailTransport {
	const isSecure = protocol === "smtps:";
	const host = hostname.replace(/^\[|\]$/g, "");
	const isHere = isThisMachine(host);
	const auth =
		username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } };
	const options = {
		host,
		port: port === "" ? (isSecure ? SMTPS_PORT : SMTP_PORT) : Number(port),
		secure: isSecure,
		// A password leaves this machine encrypted or not at all.
		requireTLS: username !== "" && !isHere,
		...auth,
		connectionTimeout: CONNECT_TIMEOUT_MS,
		greetingTimeout: CONNECT_TIMEOUT_MS,
		socketTimeout: silenceMaxMs,
		...SEALED,
	};
	const server = openLater(({ createTransport }) => createTransport(options));
	return {
		from,
		async deliver(_, mail) {
			try {
				await (await server.open()).sendMail(mail);
			} catch (error) {
				throw isRefusalOfMail(error)
					? new MailRefusedError(`the server refuses the mail: ${describe(error)}`, error)
					: error;
			}
		},
		close: server.close,
	};
}

/**
 * A 5xx about the recipient or the content is final; one about the sender or our login is for the operator to fix. Source: RFC 5321, 4.2.1.
 */
function isRefusalOfMail(error: unknown): boolean {
	const isFinal = error instanceof Error && "responseCode" in error && Number(error.responseCode) >= 500;
	return isFinal && isAboutThisMail(error) && !isRelayRefused(error);
}

/** True when the server rejects this recipient or this content, temporarily or for good: another e-mail may succeed meanwhile. */
export function isAboutThisMail(error: unknown): boolean {
	if (error instanceof MailRefusedError) return true;
	if (!(error instanceof Error) || !("responseCode" in error) || !("command" in error)) return false;
	if (typeof error.responseCode !== "number" || ABOUT_US.includes(error.responseCode)) return false;
	return error.command === "RCPT TO" || error.command === "DATA";
}

/**
 * Answers to any command: the server closes, or requires a login, encryption or a stronger method. Source: RFC 5321, 4.2.2; RFC 4954,
 * section 6; RFC 3207, section 4.
 */
const ABOUT_US: readonly number[] = [421, 530, 534, 535, 538];
/**
 * True when the server does not relay for us, which it says for each recipient outside its own domains: for the operator to fix, while
 * other recipients may succeed. No code distinguishes this from a recipient's policy, but all servers use the word; so may an address that
 * they repeat.
 */
export function isRelayRefused(error: unknown): boolean {
	if (!(error instanceof Error) || !("response" in error) || !("command" in error)) return false;
	if (error.command !== "RCPT TO") return false;
	return /\brelay/i.test(String(error.response).replace(/<[^>]*>|\S+@\S+/g, ""));
}

function describe(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** The e-mail can never be sent as it is. */
export class MailRefusedError extends Error {
	constructor(message: string, cause?: unknown) {
		super(message, { cause });
		this.name = "MailRefusedError";
	}
}
