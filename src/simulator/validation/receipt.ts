/** Reads an acknowledgement of receipt, an ARECF. Source: the authority's ARECF format and schema, version 1.0. */
import { textAt, type XmlElement } from "./element";
import { findEmptyElements } from "./empty-elements";
import { DATE_TIME, ENCF, oneOf, TAXPAYER, VERSION } from "./forms";
import { closed, landmark, required, requiredBlock } from "./layout";
import { checkAgainst } from "./structure";

const NOT_RECEIVED = "1";

const LAYOUT = closed(
	requiredBlock(
		"DetalleAcusedeRecibo",
		closed(
			required("Version", VERSION),
			required("RNCEmisor", TAXPAYER),
			required("RNCComprador", TAXPAYER),
			required("eNCF", ENCF),
			required("Estado", oneOf("0", NOT_RECEIVED)),
			landmark("CodigoMotivoNoRecibido", { form: oneOf("1", "2", "3", "4") }),
			required("FechaHoraAcuseRecibo", DATE_TIME),
		),
	),
);

export type ReceiptDocument = {
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	/** 0 received, 1 not received. */
	readonly state: number;
};

/** A string says what is wrong with its structure. */
export function readReceipt(root: XmlElement): ReceiptDocument | string {
	if (root.name !== "ARECF") return "El elemento raíz debe ser ARECF.";
	const [fault] = [...findEmptyElements(root), ...checkAgainst(root, LAYOUT)];
	if (fault) return fault.text;
	const at = (name: string) => textAt(root, `DetalleAcusedeRecibo/${name}`);
	if (at("Estado") !== NOT_RECEIVED && at("CodigoMotivoNoRecibido") !== undefined) {
		return "El campo CodigoMotivoNoRecibido solo aplica a lo no recibido.";
	}
	return {
		issuerRnc: at("RNCEmisor") ?? "",
		buyerRnc: at("RNCComprador") ?? "",
		encf: at("eNCF") ?? "",
		state: Number(at("Estado")),
	};
}
