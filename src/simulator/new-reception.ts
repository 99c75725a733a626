/** Builds the row of a reception from what each step of the validation has found out. */
import { createHash } from "node:crypto";
import type { Call } from "./http/call";
import type { Reception } from "./store";
import type { Ecf } from "./validation/ecf";
import type { FileNumber } from "./validation/file-name";
import type { Judgement } from "./validation/judgement";
import type { Road } from "./validation/structure";

export type NewReception = Omit<Reception, "id">;

/** What every reception has: when, where and which bytes; nothing is known of the document yet. */
export function arrival(call: Call, road: Road, bytes: Uint8Array, now: Date): NewReception {
	return {
		receivedAt: now.getTime(),
		environment: call.environment,
		host: road,
		sha256: createHash("sha256").update(bytes).digest("hex"),
		sizeBytes: bytes.length,
		rnc: null,
		encf: null,
		type: null,
		trackId: null,
		refusal: null,
		verdict: null,
		messages: [],
		sequenceConsumed: null,
		holdsNumber: false,
		repeatsId: null,
		securityCode: null,
		total: null,
		totalItbis: null,
		issuerName: null,
		buyerRnc: null,
		buyerName: null,
		foreignBuyer: null,
		issueDate: null,
		signedAt: null,
		referenceEncf: null,
		visibleAt: null,
		readableAt: 0,
	};
}

/** The number as the file name tells it. */
export function numberOf(file: FileNumber | undefined) {
	return file ? { rnc: file.rnc, encf: file.encf, type: file.encf.slice(1, 3) } : {};
}

export function verdictOf(judgement: Judgement) {
	const { verdict, messages, sequenceConsumed } = judgement;
	return { verdict, messages, sequenceConsumed };
}

/** What later queries and notes need of a document whose signature holds. */
export function factsOf(ecf: Ecf) {
	return {
		securityCode: ecf.securityCode,
		total: ecf.total.toString(),
		totalItbis: ecf.totalItbis.toString(),
		issuerName: ecf.issuerName,
		buyerRnc: ecf.buyerRnc,
		buyerName: ecf.buyerName,
		foreignBuyer: ecf.foreignBuyer,
		issueDate: ecf.issueDate,
		signedAt: ecf.signedAt,
		referenceEncf: ecf.reference?.encf ?? null,
	};
}
