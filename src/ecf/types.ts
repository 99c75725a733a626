/**
 * The six types of electronic fiscal document that the service issues, and everything that the code needs to know of a type.
 *
 * Other files read the profile of a type and never compare a type with a literal. The format (`carries` in `src/ecf/format/ecf.ts`) knows which XML
 * elements a type carries. Source: the authority's e-CF format, October 2025.
 */
import { type Message, msg } from "../platform/problem";

type Profile = {
	/** The type in a sentence, with "a" before it. */
	readonly name: Message;
	/** The title on the printed document and in Spanish e-mails. */
	readonly titleEs: string;
	/** The title in English e-mails. */
	readonly titleEn: string;
	/** Paper documents of this series are replaced by this type after a contingency. */
	readonly paperSeries: string;
	/** Modifies another document. */
	readonly isNote: boolean;
	/** 1 adds to sales in reports and balances, -1 takes away. */
	readonly sign: 1 | -1;
	/** Issued to consumers: names its buyer only from RD$250,000.00; below that, the authority gets a summary. */
	readonly isConsumer: boolean;
	/** Issued by the buyer; `customer` is the seller, and each line states what is withheld. */
	readonly isPurchase: boolean;
	/** Names its buyer whatever its total. */
	readonly namesBuyer: boolean;
	/** The buyer deducts its tax. The only type that may replace a consumer invoice (modification code 5). */
	readonly isFiscalCredit: boolean;
	/** Taxes other than ITBIS that a line may carry. */
	readonly additionalTaxes: "all" | "on-services" | "none";
	/** Sent to the buyer's receiver. Source: the authority's description of the receivers' services. */
	readonly exchanged: boolean;
	/** The buyer answers it with a commercial approval. Source: the authority's description of commercial approval. */
	readonly approvable: boolean;
	/** An approval rule may approve it: invoices only, because a note changes what was agreed. */
	readonly approvedByRule: boolean;
	/** Lines of a document, and pages in its pagination. */
	readonly linesMax: 1_000 | 10_000;
	/**
	 * Lines of a document of which the authority gets only the summary, if it may have more. Source: the authority's e-CF format, October 2025; its
	 * schema stops at `linesMax`.
	 */
	readonly keptLinesMax?: 10_000;
	/** Last number of the range in the authority's test environment. Source: its description of that environment. */
	readonly sandboxLast: number;
};

/** What most types have. */
const COMMON = {
	isNote: false,
	sign: 1,
	isConsumer: false,
	isPurchase: false,
	namesBuyer: false,
	isFiscalCredit: false,
	additionalTaxes: "all",
	exchanged: true,
	approvable: true,
	approvedByRule: false,
	linesMax: 1_000,
	sandboxLast: 10_000_000,
} as const;

const PROFILES = {
	31: {
		...COMMON,
		name: msg`fiscal-credit invoice`,
		titleEs: "Factura de Crédito Fiscal Electrónica",
		titleEn: "Electronic tax credit invoice",
		paperSeries: "01",
		namesBuyer: true,
		isFiscalCredit: true,
		approvedByRule: true,
	},
	32: {
		...COMMON,
		name: msg`consumer invoice`,
		titleEs: "Factura de Consumo Electrónica",
		titleEn: "Electronic consumer invoice",
		paperSeries: "02",
		isConsumer: true,
		exchanged: false,
		approvable: false,
		keptLinesMax: 10_000,
		sandboxLast: 50_000_000,
	},
	33: {
		...COMMON,
		name: msg`debit note`,
		titleEs: "Nota de Débito Electrónica",
		titleEn: "Electronic debit note",
		paperSeries: "03",
		isNote: true,
		linesMax: 10_000,
	},
	34: {
		...COMMON,
		name: msg`credit note`,
		titleEs: "Nota de Crédito Electrónica",
		titleEn: "Electronic credit note",
		paperSeries: "04",
		isNote: true,
		sign: -1,
		linesMax: 10_000,
	},
	41: {
		...COMMON,
		name: msg`purchase record`,
		titleEs: "Compras Electrónico",
		titleEn: "Electronic purchase receipt",
		paperSeries: "11",
		isPurchase: true,
		namesBuyer: true,
		additionalTaxes: "none",
		exchanged: false,
		approvable: false,
	},
	44: {
		...COMMON,
		name: msg`special-regime invoice`,
		titleEs: "Regímenes Especiales Electrónico",
		titleEn: "Electronic special regime invoice",
		paperSeries: "14",
		namesBuyer: true,
		additionalTaxes: "on-services",
		approvedByRule: true,
	},
} as const satisfies Readonly<Record<number, Profile>>;

export type EcfType = `${keyof typeof PROFILES}`;
export type EcfTypeProfile = Profile;

export const ECF_TYPES = Object.keys(PROFILES) as readonly EcfType[];

export function profileOf(type: EcfType): EcfTypeProfile {
	return PROFILES[type];
}

/** The profile of a type read from a document or a row; undefined for a type that the service does not issue. */
export function findProfile(type: string | undefined): EcfTypeProfile | undefined {
	return isEcfType(type) ? PROFILES[type] : undefined;
}

/** The types whose profile fulfils a condition, ascending. */
export function typesWhere(matches: (profile: EcfTypeProfile) => boolean): readonly EcfType[] {
	return ECF_TYPES.filter((type) => matches(PROFILES[type]));
}

export function isEcfType(text: unknown): text is EcfType {
	return typeof text === "string" && Object.hasOwn(PROFILES, text);
}

/** Narrows a validated type. Throws a RangeError for any other text, which means that validation was skipped. */
export function toEcfType(text: string): EcfType {
	if (!isEcfType(text))
		throw new RangeError(`expected an e-CF type of ${ECF_TYPES.join(", ")}, got ${JSON.stringify(text)}`);
	return text;
}

/** The type in the number of an electronic document (`E31…`); undefined for a paper number or an unknown type. */
export function typeOfNumber(encf: string): EcfType | undefined {
	const type = encf.startsWith("E") ? encf.slice(1, 3) : undefined;
	return isEcfType(type) ? type : undefined;
}
