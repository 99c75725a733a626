/** Pages that were built into one file, under the policy that stands in them: it allows their own script and style alone. */
import { join } from "node:path";
import { type Representation, represent } from "../server/representation";
import { PAGE_HEADERS } from "./html";

const DATA = join(import.meta.dir, "../../../data");

/** A page of `data`, under its own policy, which is stricter than that of our other pages. A frame's rule counts as a header alone. */
export async function representBuilt(
	file: string,
	headers: Readonly<Record<string, string>> = {},
): Promise<Representation> {
	const text = await Bun.file(join(DATA, file)).text();
	const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(text)?.[1];
	if (!policy) throw new Error(`data/${file} has no policy: build it again`);
	return represent(text, {
		...PAGE_HEADERS,
		"content-security-policy": `${policy}; frame-ancestors 'none'`,
		...headers,
	});
}
