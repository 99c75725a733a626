import { expect, test } from "bun:test";
import { readObjectsAddress } from "../../../src/platform/objects/settings";

test("a place is a folder or a bucket's prefix, without credentials", () => {
	expect(readObjectsAddress("/srv/fleet")).toEqual({ kind: "folder", path: "/srv/fleet" });
	expect(readObjectsAddress("s3://fleet/rnc/?endpoint=https%3A%2F%2Fs3.example")).toEqual({
		...{ kind: "s3", bucket: "fleet", prefix: "rnc/", endpoint: "https://s3.example" },
	});
	expect(readObjectsAddress("s3://fleet")).toMatchObject({ prefix: "", endpoint: undefined });
	for (const refused of [
		"https://fleet/rnc",
		"s3://",
		"s3://user:secret@fleet/rnc",
		"s3://fleet?endpoint=s3.example",
	]) {
		expect(() => readObjectsAddress(refused)).toThrow(RangeError);
	}
});
