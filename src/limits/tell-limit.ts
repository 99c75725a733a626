import { Problem } from "../problem";

/** Does what a counted call asks for; a refusal carries the limit's headers as an answer does, since it has cost as much. */
export async function tellLimit<T>(limits: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		const { slug, detail, faults, extensions, headers, cause } = error;
		throw new Problem(slug, { detail, faults, extensions, headers: { ...limits, ...headers }, cause });
	}
}
