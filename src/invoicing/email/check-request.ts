/** Everything that is wrong with a request for a mail, told at once. */
import { checkSchema, checkText, member } from "../../platform/operation";
import { type Fault, Problem } from "../../platform/problem";
import { EmailRequest, RECIPIENTS_MAX } from "./email";

/** Throws: validation-error. */
export function checkEmailRequest(value: unknown): EmailRequest {
	const faults = [
		// Each text has its bound in the schema.
		...checkText(value, Number.POSITIVE_INFINITY),
		...checkSchema(EmailRequest, value),
		...checkRecipients(value),
	];
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return value as EmailRequest;
}

/** What no schema says: how many there are together, and that nobody gets a mail twice. */
function checkRecipients(value: unknown): Fault[] {
	const [to, cc] = [listOf(value, "to"), listOf(value, "cc")];
	const faults: Fault[] = [];
	// Each list has its own bound; only their sum is told here.
	if (to.length <= RECIPIENTS_MAX && cc.length < RECIPIENTS_MAX && to.length + cc.length > RECIPIENTS_MAX) {
		const detail = `More than ${RECIPIENTS_MAX} recipients in \`to\` and \`cc\` together.`;
		faults.push({ pointer: "/cc", code: "too-many", detail, maximum: RECIPIENTS_MAX });
	}
	const seen = new Set<string>();
	for (const [name, list] of [["to", to] as const, ["cc", cc] as const]) {
		for (const [n, address] of list.entries()) {
			if (typeof address !== "string") continue;
			const folded = address.toLowerCase();
			if (seen.has(folded)) {
				faults.push({ pointer: `/${name}/${n}`, code: "repeated", detail: "Each address may come once." });
			}
			seen.add(folded);
		}
	}
	return faults;
}

function listOf(value: unknown, name: string): readonly unknown[] {
	const found = member(value, name);
	return Array.isArray(found) ? found : [];
}
