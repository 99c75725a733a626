import { expect, test } from "bun:test";
import { readDimensions } from "../../../src/invoicing/reports/groups";

test.each([
	["", []],
	["status,type,day", ["day", "type", "status"]],
	["customer_rnc,branch,status,type,month,day", ["day", "month", "type", "status", "branch", "customer_rnc"]],
	["type,type", undefined],
	["type,", undefined],
	["Type", undefined],
	["issue_date", undefined],
])("%j is read as %j", (text, dimensions) => {
	expect(readDimensions(text)).toEqual(dimensions as never);
});
