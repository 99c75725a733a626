import { expect, test } from "bun:test";
import { sharedService } from "../../support/service";

test("every seed is different, in any letter case of the path and any format", async () => {
	const { url } = await sharedService();
	const values = new Set<string>();
	for (const path of [
		"/fe/autenticacion/api/semilla",
		"/FE/Autenticacion/Api/Semilla",
		"/fe/autenticaci%C3%B3n/api/semilla",
	]) {
		for (const accept of ["*/*", "text/xml", "application/json, text/plain"]) {
			const answer = await fetch(`${url}${path}`, { headers: { accept } });
			expect([path, accept, answer.status]).toEqual([path, accept, 200]);
			expect(answer.headers.get("content-type")).toBe("application/xml; charset=utf-8");
			const [, value = ""] =
				/^<\?xml[^>]*\?><SemillaModel [^>]*><valor>([\w-]{140,})<\/valor><fecha>[^<]*<\/fecha><\/SemillaModel>$/.exec(
					await answer.text(),
				) ?? [];
			values.add(value);
		}
	}
	expect(values.size).toBe(9);
	expect(values.has("")).toBe(false);
});
