/** The first invoice of a newcomer: two commands, without a registration, as often as they like. */
import { expect, test } from "bun:test";
import { get, sharedService } from "../support/service";

const COMMANDS = `
TOKEN=$(curl -s $BASE/v1/auth/token -H 'accept: text/plain' -d 'grant_type=client_credentials&client_id=demo&client_secret=demo')

curl -s $BASE/v1/invoices -H "x-api-key: $KEY" -H "authorization: Bearer $TOKEN" \\
  -H "idempotency-key: $(node -p 'crypto.randomUUID()')" -H 'content-type: application/json; charset=utf-8' -d '{
  "type": "31", "encf": "auto",
  "company":  { "rnc": "990000131", "name": "EMPRESA DE DEMOSTRACION SRL" },
  "customer": { "rnc": "990000002", "name": "CLIENTE SRL" },
  "lines":    [ { "line_number": 1, "description": "Cemento gris 42.5kg", "quantity": "10", "unit_price": "450.00", "subtotal": "4500.00" } ],
  "totals":   { "subtotal": "4500.00", "tax": "810.00", "grand_total": "5310.00" } }'
`;
const KEY = "ak_demo_public0000000000000000";

test("two commands, pasted twice into a shell, issue two invoices", async () => {
	const service = await sharedService();
	const paste = async () => {
		const env = { PATH: process.env.PATH ?? "", BASE: service.url, KEY };
		const shell = Bun.spawn(["sh", "-c", `${COMMANDS}\nprintf '\\n%s' "$TOKEN"`], { env, stderr: "inherit" });
		const [answer = "", token = ""] = (await new Response(shell.stdout).text()).split("\n");
		expect(await shell.exited).toBe(0);
		const { docId, encf } = JSON.parse(answer) as { docId: string; encf: string };
		const headers = { "x-api-key": KEY, authorization: `Bearer ${token}` };
		expect((await get(service, `/v1/invoices/${docId}`, headers)).status).toBe(200);
		return encf;
	};
	const [first, second] = [await paste(), await paste()];
	expect(first).toMatch(/^E31\d{10}$/);
	expect(second).toMatch(/^E31\d{10}$/);
	expect(second).not.toBe(first);
});
