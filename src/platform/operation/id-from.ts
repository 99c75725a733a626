import { Problem } from "../problem";
import { isId } from "../values";
import type { Call } from "./operation";

/** The id in a request's path. Throws: not-found for what can be no id, as for one that nobody has. */
export function idFrom(call: Call, parameter = "id"): string {
	const id = call.params[parameter] ?? "";
	if (!isId(id)) throw new Problem("not-found");
	return id;
}
