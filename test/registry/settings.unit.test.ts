import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { toSourceName } from "../../src/registry/settings";

test("a source is a path or an https address, or http on this machine", () => {
	expect(toSourceName("data/rnc.zip")).toBe(resolve("data/rnc.zip"));
	expect(toSourceName("https://mirror.example/rnc.zip")).toBe("https://mirror.example/rnc.zip");
	expect(toSourceName("http://127.0.0.1:8080/rnc.zip")).toBe("http://127.0.0.1:8080/rnc.zip");
	for (const refused of ["http://mirror.example/rnc.zip", "ftp://mirror.example/rnc.zip", "file:///etc/passwd"]) {
		expect(() => toSourceName(refused)).toThrow("https address");
	}
	expect(() => toSourceName("https://user:word@mirror.example/")).toThrow("no credentials");
});
