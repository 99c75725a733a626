/** The job of a printing thread. It is separate from its execution, so that callers do not load fonts and a PDF library. */
export const PAPERS = ["a4", "letter", "thermal_80", "thermal_58"] as const;
export type Paper = (typeof PAPERS)[number];
export const PRINT_FORMATS = [...PAPERS, "escpos"] as const;
export type PrintFormat = (typeof PRINT_FORMATS)[number];

/** Everything that determines the bytes of a printed document. */
export type PrintJob = {
	readonly format: PrintFormat;
	/** The paper of an ESC/POS printer; A4 and letter count as 80 mm. */
	readonly paper: Paper;
	readonly signedXml: Uint8Array;
	readonly qrUrl: string;
	readonly standing: Standing;
	/** Without fiscal effect: a sandbox, or the authority's free tests. */
	readonly isTest: boolean;
	readonly logo: Uint8Array | undefined;
};

export function fileOf({ format }: Pick<PrintJob, "format">): {
	readonly mediaType: string;
	readonly extension: string;
} {
	if (format === "escpos") return { mediaType: "application/octet-stream", extension: "bin" };
	return { mediaType: "application/pdf", extension: "pdf" };
}

/** The document's status. `contingency`: no verdict, because the authority could not be reached. */
export type Standing = "accepted" | "pending" | "contingency" | "rejected" | "failed";

/**
 * The legends of a document that was issued while the authority could not be reached; empty for others.
 * Source: the authority's contingency rule. Gap: the words are those of certified prints.
 */
export function contingencyLegendsFor(standing: Standing): readonly string[] {
	if (standing !== "contingency") return [];
	return ["e-CF emitido en modalidad de contingencia", "Su validez fiscal podrá consultarse a partir de las 72 horas"];
}

const LEGENDS: Readonly<Record<Standing, readonly string[]>> = {
	accepted: [],
	pending: ["Consulte su validez después de 72 horas"],
	contingency: contingencyLegendsFor("contingency"),
	rejected: ["Rechazado por la Administración Tributaria: sin valor fiscal"],
	failed: ["No recibido por la Administración Tributaria: sin valor fiscal"],
};

export function legendsFor(standing: Standing, isTest: boolean): readonly string[] {
	return [...LEGENDS[standing], ...(isTest ? ["Documento de prueba: sin valor fiscal"] : [])];
}
