/** The six kinds of electronic fiscal document that the service issues. */
export const ECF_TYPES = ["31", "32", "33", "34", "41", "44"] as const;
export type EcfType = (typeof ECF_TYPES)[number];

/** What each type is called; for people. */
export const ECF_TYPE_NAMES: Readonly<Record<EcfType, string>> = {
	"31": "fiscal-credit invoice",
	"32": "consumer invoice",
	"33": "debit note",
	"34": "credit note",
	"41": "purchase record",
	"44": "special-regime invoice",
};

/** Narrows a validated type. Throws a RangeError on another text: validation has been left out. */
export function toEcfType(text: string): EcfType {
	const type = ECF_TYPES.find((candidate) => candidate === text);
	if (!type) throw new RangeError(`expected an e-CF type of ${ECF_TYPES.join(", ")}, got ${JSON.stringify(text)}`);
	return type;
}
