/**
 * Mails about a person's account: invitations, links, and notices of what happened to it.
 *
 * A letter waits in the outbox sealed, because it may contain a link that opens the account. A rotation of the key-encryption key seals the
 * waiting ones again.
 */
import type { Tx } from "../../platform/database";
import { MailRefusedError, type MailTransport, SUBJECT_LENGTH_MAX, sendMail, toHeaderText } from "../../platform/mail";
import { append, dead, done, type Handler, OUTBOX_KINDS, retry } from "../../platform/outbox";
import type { Language } from "../../platform/problem";
import { type Envelope, SealedSecretError } from "../../platform/secrets";
import { newId } from "../../platform/values";

/** What changed about the ways into an account. */
export type FactorChange =
	| "passkey-added"
	| "passkey-removed"
	| "password-set"
	| "totp-set"
	| "totp-removed"
	| "codes-made"
	| "factors-reset";

export type AccountMail =
	| {
			readonly kind: "invitation";
			/** Null for the operator. */
			readonly inviter: string | null;
			/** Names of companies; empty for operators. */
			readonly companies: readonly string[];
			readonly link: string;
			readonly expiresAt: Date;
	  }
	/** Opens a session, once. */
	| { readonly kind: "sign-in"; readonly link: string; readonly expiresAt: Date }
	/** Opens a session with a recovery code. */
	| { readonly kind: "recovery"; readonly link: string; readonly expiresAt: Date }
	| { readonly kind: "recovered" | "new-device"; readonly address: string; readonly agent: string; readonly at: Date }
	| { readonly kind: "factor"; readonly change: FactorChange; readonly at: Date };

type AccountLetter = { readonly to: string; readonly language: Language; readonly mail: AccountMail };

/** Takes the place of a tenant in the outbox: people belong to none. */
const PEOPLE_ID = "00000000-0000-7000-8000-00000000000c";
/** What a waiting letter is sealed for, by its message's subject. */
export const contextOfLetter = (id: string): string => `account-mail|${id}`;

type Letter = { readonly to: string; readonly subject: string; readonly text: string };

/** Queues a mail in the transaction of what it is about. Call `wake` of the outbox after the commit. */
export async function queueAccountMail(
	tx: Tx,
	{ envelope, consoleUrl }: { readonly envelope: Envelope; readonly consoleUrl: string },
	letter: AccountLetter,
): Promise<void> {
	// The person of a local sandbox has no mailbox.
	if (!/@.+\./.test(letter.to)) return;
	const subject = newId();
	const text = JSON.stringify(toLetter(letter, consoleUrl));
	const sealed = envelope.seal(Buffer.from(text), contextOfLetter(subject));
	const payload = { sealed: Buffer.from(sealed).toString("base64") };
	await append(tx, { kind: OUTBOX_KINDS.mailPerson, tenantId: PEOPLE_ID, subject, payload });
}

/** Links live for minutes to days: a later mail is of no use. */
const TRIED_FOR_SECONDS = 86_400;
const RETRY_SECONDS = [5, 20, 60, 300];
const RETRY_LATER_SECONDS = 900;

/** Handler of `mail.person`. */
export function createMailPerson({
	envelope,
	transport,
}: {
	readonly envelope: Envelope;
	readonly transport: MailTransport;
}): Handler {
	return async ({ subject: id, payload, failures, ageSeconds }) => {
		if (transport.isOff === true) return dead("this service sends no mail (SMTP_URL=none)");
		try {
			const sealed = Buffer.from(String(payload.sealed), "base64");
			const { to, subject, text } = JSON.parse(envelope.open(sealed, contextOfLetter(id)).toString()) as Letter;
			await sendMail(transport, { id, to, subject, text });
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			const isFinal = error instanceof MailRefusedError || error instanceof SealedSecretError;
			if (isFinal || ageSeconds > TRIED_FOR_SECONDS) return dead(reason);
			return retry(RETRY_SECONDS[failures] ?? RETRY_LATER_SECONDS, reason);
		}
		return done;
	};
}

type Words = {
	readonly invited: (inviter: string, companies: string) => readonly [string, string];
	readonly operator: string;
	readonly theService: string;
	readonly signIn: readonly [string, string];
	readonly recovery: readonly [string, string];
	readonly recovered: readonly [string, string];
	readonly newDevice: readonly [string, string];
	readonly changed: string;
	readonly changes: Readonly<Record<FactorChange, string>>;
	readonly device: (address: string, agent: string) => string;
	readonly until: (time: string) => string;
	readonly at: (time: string) => string;
	readonly notYou: string;
	readonly ignore: string;
	readonly why: (console: string) => string;
};

const WORDS: Readonly<Record<Language, Words>> = {
	es: {
		invited: (inviter, companies) => [
			`Invitación a ${companies}`,
			`${inviter} le invita a ${companies} en Sello. Abra este enlace para aceptar:`,
		],
		operator: "El operador del servicio",
		theService: "la operación del servicio",
		signIn: ["Su enlace de entrada", "Abra este enlace para entrar a la consola. Sirve una sola vez:"],
		recovery: [
			"Recuperar su cuenta",
			"Abra este enlace y tenga a mano uno de sus códigos de recuperación. El enlace sirve una sola vez:",
		],
		recovered: ["Su cuenta fue recuperada", "Su cuenta fue recuperada y todas sus sesiones anteriores terminaron."],
		newDevice: ["Entrada desde un dispositivo nuevo", "Alguien entró a su cuenta desde un dispositivo nuevo."],
		changed: "Cambió el acceso a su cuenta",
		changes: {
			"passkey-added": "Se añadió una llave de acceso a su cuenta.",
			"passkey-removed": "Se eliminó una llave de acceso de su cuenta.",
			"password-set": "Se cambió la contraseña de su cuenta.",
			"totp-set": "Se activaron los códigos de una aplicación en su cuenta.",
			"totp-removed": "Se desactivaron los códigos de una aplicación en su cuenta.",
			"codes-made": "Se crearon códigos de recuperación nuevos. Los anteriores ya no sirven.",
			"factors-reset": "Se eliminaron todas las formas de entrar a su cuenta, y todas sus sesiones terminaron.",
		},
		device: (address, agent) => `Dirección: ${address}\nNavegador: ${agent}`,
		until: (time) => `Válido hasta: ${time}`,
		at: (time) => `Fecha: ${time}`,
		notYou: "Si no fue usted, termine sus sesiones y cambie sus formas de entrar en la consola, y avise a su equipo.",
		ignore: "Si no lo esperaba, no abra el enlace. Sin usted, nada cambia.",
		why: (console) => `Este correo trata de su cuenta en ${console}.`,
	},
	en: {
		invited: (inviter, companies) => [
			`Invitation to ${companies}`,
			`${inviter} invites you to ${companies} in Sello. Open this link to accept:`,
		],
		operator: "The operator of the service",
		theService: "the operation of the service",
		signIn: ["Your sign-in link", "Open this link to sign in to the console. It works once:"],
		recovery: [
			"Recover your account",
			"Open this link, and keep one of your recovery codes at hand. The link works once:",
		],
		recovered: ["Your account was recovered", "Your account was recovered, and all its earlier sessions ended."],
		newDevice: ["Sign-in from a new device", "Your account was used from a new device."],
		changed: "Access to your account has changed",
		changes: {
			"passkey-added": "A passkey was added to your account.",
			"passkey-removed": "A passkey was removed from your account.",
			"password-set": "The password of your account was changed.",
			"totp-set": "Codes of an app were switched on for your account.",
			"totp-removed": "Codes of an app were switched off for your account.",
			"codes-made": "New recovery codes were made. The former ones no longer work.",
			"factors-reset": "All ways into your account were removed, and all its sessions ended.",
		},
		device: (address, agent) => `Address: ${address}\nBrowser: ${agent}`,
		until: (time) => `Valid until: ${time}`,
		at: (time) => `Time: ${time}`,
		notYou: "If this was not you, end your sessions and change your factors in the console, and inform your team.",
		ignore: "If you did not expect this, do not open the link. Without you, nothing changes.",
		why: (console) => `This mail is about your account at ${console}.`,
	},
};

function toLetter({ to, language, mail }: AccountLetter, consoleUrl: string): Letter {
	const words = WORDS[language];
	const { subject, parts } = compose(words, mail, (time) => formatTime(time, language));
	const text = [...parts, `-- \n${words.why(consoleUrl)}`].join("\n\n");
	return { to, subject: toHeaderText(`Sello: ${subject}`, SUBJECT_LENGTH_MAX), text };
}

function compose(
	words: Words,
	mail: AccountMail,
	format: (time: Date) => string,
): { readonly subject: string; readonly parts: readonly string[] } {
	switch (mail.kind) {
		case "invitation": {
			const companies = mail.companies.length === 0 ? words.theService : toHeaderText(mail.companies.join(", "), 120);
			const inviter = mail.inviter === null ? words.operator : toHeaderText(mail.inviter);
			const [subject, lead] = words.invited(inviter, companies);
			return { subject, parts: [lead, mail.link, words.until(format(mail.expiresAt)), words.ignore] };
		}
		case "sign-in":
		case "recovery": {
			const [subject, lead] = mail.kind === "sign-in" ? words.signIn : words.recovery;
			return { subject, parts: [lead, mail.link, words.until(format(mail.expiresAt)), words.ignore] };
		}
		case "recovered":
		case "new-device": {
			const [subject, lead] = mail.kind === "recovered" ? words.recovered : words.newDevice;
			const device = words.device(mail.address, toHeaderText(mail.agent));
			return { subject, parts: [lead, `${words.at(format(mail.at))}\n${device}`, words.notYou] };
		}
		case "factor":
			return { subject: words.changed, parts: [words.changes[mail.change], words.at(format(mail.at)), words.notYou] };
	}
}

/** In the Dominican Republic's time, which has no daylight saving. */
function formatTime(time: Date, language: Language): string {
	const format = new Intl.DateTimeFormat(language === "es" ? "es-DO" : "en-GB", {
		dateStyle: "long",
		timeStyle: "short",
		timeZone: "America/Santo_Domingo",
	});
	return `${format.format(time)} (UTC-4)`;
}
