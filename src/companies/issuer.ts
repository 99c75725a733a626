import type { EcfIssuer } from "../ecf/mapping";
import type { CompanyRow } from "./company";

/** What of a company stands in its documents. */
export type IssuerFacts = Pick<
	CompanyRow,
	"rnc" | "name" | "tradeName" | "email" | "phone" | "address" | "economicActivity"
>;

/** A company as the issuer of an e-CF; what it has not said is absent. */
export function toEcfIssuer(company: IssuerFacts): EcfIssuer {
	const { rnc, name, tradeName, email, phone, address, economicActivity } = company;
	return {
		rnc,
		name,
		...(tradeName ? { tradeName } : {}),
		...(address ? { address } : {}),
		...(phone ? { phone } : {}),
		...(email ? { email } : {}),
		...(economicActivity ? { economicActivity } : {}),
	};
}
