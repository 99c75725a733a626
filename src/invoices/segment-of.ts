import type { Segment } from "../authority";

const place = /\/(testecf|certecf|ecf)\/ConsultaTimbre/;

/**
 * The authority's environment that a document was issued for, as the printed address of its QR has it; undefined where there is none. What is signed
 * and printed for one goes to that one, wherever its company has moved since.
 */
export function segmentOf(qrUrl: string): Segment | undefined {
	return place.exec(qrUrl)?.[1] as Segment | undefined;
}
