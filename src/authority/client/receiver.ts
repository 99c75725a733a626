/**
 * Reads the directory's answer about one taxpayer: where it receives documents from others.
 *
 * Quirks: the answer is an object or a list with one object. A taxpayer that receives nothing electronically is an empty list, an empty
 * object, no body or a 404. An edge's error page is none of these, so an outage of the directory never makes a taxpayer look absent.
 * Source: the authority's technical description of its services, directory.
 */
import { foldText, isEmptyAnswer, type Members, type Reading, textOf, toMembers } from "./read-answer";
import { isSuccess, judgeStatus, type Reply, type Unavailable, unavailable, unexpected } from "./reply";

/** An electronic receiver. Its addresses are bases as declared, not verified, to which the path of each service is appended. */
export type Receiver = {
	readonly rnc: string;
	readonly name: string;
	readonly receptionUrl: string;
	readonly approvalUrl: string;
	/** Absent: it requires no authentication. */
	readonly authenticationUrl?: string;
};

export type Listing =
	| { readonly kind: "listed"; readonly receiver: Receiver }
	| { readonly kind: "not-listed" }
	| Unavailable;

export function readListing(reply: Reply, rnc: string): Listing {
	if (reply.reached !== "answer") {
		// Where there is no directory, no taxpayer is listed.
		return reply.fault === "authority-service-absent" ? NOT_LISTED : unavailable(reply);
	}
	const { status, reading } = reply;
	const failure = judgeStatus(status);
	if (failure) return unavailable(failure);
	const isPage = reading.form === "unreadable" && !isEmptyAnswer(reading);
	if ((status === 404 && !isPage) || saysNone(status, reading)) return NOT_LISTED;
	const entries = entriesOf(reading);
	if (entries?.length === 0 && isSuccess(status)) return NOT_LISTED;
	if (!entries || !isSuccess(status)) return unavailable(unexpected(status, reading));
	const entry = entries.find((members) => textOf(members, "rnc")?.replace(/\D/g, "") === rnc);
	if (!entry) {
		return unavailable({ fault: "authority-answer-mismatch", detail: "the directory answers for another taxpayer" });
	}
	const receiver = toReceiver(entry, rnc);
	return receiver ? { kind: "listed", receiver } : unavailable(unexpected(status, reading));
}

const NOT_LISTED: Listing = { kind: "not-listed" };

/** The entries with content; undefined when the answer is not a list of entries. */
function entriesOf(reading: Reading): readonly Members[] | undefined {
	if (isEmptyAnswer(reading)) return [];
	if (reading.form === "text") return reading.text === "" ? [] : undefined;
	if (reading.form === "unreadable") return undefined;
	const items = reading.form === "list" ? reading.items.map(toMembers) : [reading.members];
	const entries = items.filter((item): item is Members => item !== undefined);
	if (entries.length < items.length) return undefined;
	return entries.filter((members) => [...members.keys()].some((name) => textOf(members, name)));
}

/** A sentence instead of an entry, such as "No se encontró el contribuyente". */
function saysNone(status: number, reading: Reading): boolean {
	const texts =
		reading.form === "text"
			? [reading.text]
			: reading.form === "members"
				? ["mensaje", "error", "message"].map((name) => textOf(reading.members, name) ?? "")
				: [];
	const isReadable = isSuccess(status) || status === 400;
	return isReadable && texts.some((text) => /no (se )?(encontr|encuentra|existe|esta registrad)/.test(foldText(text)));
}

const ADDRESS_CHARACTERS_MAX = 500;

function toReceiver(entry: Members, rnc: string): Receiver | undefined {
	const addressAt = (name: string) => {
		const text = textOf(entry, name);
		return text !== undefined && text.length <= ADDRESS_CHARACTERS_MAX ? text : undefined;
	};
	const receptionUrl = addressAt("urlrecepcion");
	if (receptionUrl === undefined) return undefined;
	const authenticationUrl = addressAt("urlopcional");
	return {
		rnc,
		name: textOf(entry, "nombre") ?? rnc,
		receptionUrl,
		approvalUrl: addressAt("urlaceptacion") ?? receptionUrl,
		...(authenticationUrl === undefined ? {} : { authenticationUrl }),
	};
}
