import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { readStoreAddress, toSourceName } from "../../src/registry/settings";

test("a source is a path or an https address, or http on this machine", () => {
	expect(toSourceName("data/rnc.zip")).toBe(resolve("data/rnc.zip"));
	expect(toSourceName("https://mirror.example/rnc.zip")).toBe("https://mirror.example/rnc.zip");
	expect(toSourceName("http://127.0.0.1:8080/rnc.zip")).toBe("http://127.0.0.1:8080/rnc.zip");
	for (const refused of ["http://mirror.example/rnc.zip", "ftp://mirror.example/rnc.zip", "file:///etc/passwd"]) {
		expect(() => toSourceName(refused)).toThrow("https address");
	}
	expect(() => toSourceName("https://user:word@mirror.example/")).toThrow("no credentials");
});

test("a store is a folder or a bucket's prefix, without credentials", () => {
	expect(readStoreAddress("/srv/fleet")).toEqual({ kind: "folder", path: "/srv/fleet" });
	expect(readStoreAddress("s3://fleet/rnc/?endpoint=https%3A%2F%2Fs3.example")).toEqual({
		...{ kind: "s3", bucket: "fleet", prefix: "rnc/", endpoint: "https://s3.example" },
	});
	expect(readStoreAddress("s3://fleet")).toMatchObject({ prefix: "", endpoint: undefined });
	for (const refused of [
		"https://fleet/rnc",
		"s3://",
		"s3://user:secret@fleet/rnc",
		"s3://fleet?endpoint=s3.example",
	]) {
		expect(() => readStoreAddress(refused)).toThrow(RangeError);
	}
});
