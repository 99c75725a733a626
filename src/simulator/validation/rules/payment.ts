/** How and by when it is paid. Source: the authority's e-CF format, area IdDoc. */
import type { Ecf } from "../ecf";
import { childrenNamed, elementAt, textAt } from "../element";
import { toIsoDate } from "../forms";
import { invalidField } from "../judgement";
import { type Finding, grave } from "./finding";

const CREDIT = "2";
const GIFT_VOUCHER = "5";

const invalid = (field: string) => grave(invalidField("0", { field, area: "IdDoc", section: "Encabezado" }));

/** A sale on credit names the day by which it is to be paid, which is not before the issue; the format wants 41 to say how it is paid. */
export function checkTerms(ecf: Ecf): Finding[] {
	const terms = textAt(ecf.root, "Encabezado/IdDoc/TipoPago");
	if (ecf.type === "41" && terms === undefined) return [invalid("TipoPago")];
	if (ecf.road === "fc" || terms !== CREDIT) return [];
	const due = toIsoDate(textAt(ecf.root, "Encabezado/IdDoc/FechaLimitePago") ?? "");
	const issued = toIsoDate(ecf.issueDate) ?? "";
	return due === undefined || due < issued ? [invalid("FechaLimitePago")] : [];
}

/** Gift vouchers pay consumer invoices alone. */
export function checkPaymentForms(ecf: Ecf): Finding[] {
	const table = elementAt(ecf.root, "Encabezado/IdDoc/TablaFormasPago");
	const forms = table ? childrenNamed(table, "FormaDePago") : [];
	const hasVoucher = forms.some((form) => textAt(form, "FormaPago") === GIFT_VOUCHER);
	return hasVoucher && ecf.type !== "32" ? [invalid("FormaPago")] : [];
}
