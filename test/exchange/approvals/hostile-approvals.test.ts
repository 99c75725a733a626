/** Decisions that no buyer made: forged, wrapped, borrowed and altered, against a receiver that trusts one authority. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certifyPerson, identities } from "../../../scripts/attacks/identities";
import { plainSignature, seal } from "../../../scripts/attacks/seal";
import { makeBundle } from "../../../scripts/generate-attacks";
import { createTenant, openServiceIn, type Tenant, type TestService } from "../../support/service";
import { acecfOf, sendAcecf, signedAcecf } from "./support/peers";
import { type Sold, sell, WAIT_MS } from "./support/words";

let service: TestService & { stop: () => Promise<void> };
let seller: Tenant;
let sold: Sold;
const bundle = join(tmpdir(), `sello-bundle-${crypto.randomUUID()}.pem`);

beforeAll(async () => {
	writeFileSync(bundle, makeBundle());
	service = await openServiceIn("sandbox", { TRUSTED_CA_FILE: bundle });
	seller = await createTenant(service);
	sold = await sell(service, seller, "131880681");
}, WAIT_MS);
afterAll(async () => {
	await service.stop();
	await Bun.file(bundle).delete();
});

const nameless = await certifyPerson("00100000021", "EVA\u0000PRUEBA");

/** A name and the document; every one of them is 400 or 401. */
function hostileApprovals(): Record<string, string | Uint8Array> {
	const good = signedAcecf(sold);
	// The holder really signed it, but about another sale.
	const other = signedAcecf({ ...sold, encf: "E310000000999" });
	const forged = acecfOf(sold);
	const signatureOf = (xml: string) => /<Signature .*<\/Signature>/s.exec(xml)?.[0] ?? "";
	const sealed = (content: string, identity = identities.good) =>
		seal(`<ACECF>${content}${plainSignature(identity)}</ACECF>`, { identity });
	const edited = (from: string | RegExp, to: string) => signedAcecf(sold, { edit: (text) => text.replace(from, to) });
	return {
		"no signature": `<ACECF>${forged}</ACECF>`,
		"a word turned after signing": good.replace("<Estado>1", "<Estado>2"),
		"a total changed after signing": good.replace(`<MontoTotal>${sold.total}`, "<MontoTotal>1.00"),
		"white space in a text after signing": good.replace("</eNCF><", " </eNCF>\n<"),
		"another digest": good.replace(/<DigestValue>.{4}/, "<DigestValue>AAAA"),
		"another value": good.replace(/<SignatureValue>.{4}/, "<SignatureValue>AAAA"),
		"a signature of another approval": `<ACECF>${forged}${signatureOf(other)}</ACECF>`,
		"a forgery with the signed approval in its signature": `<ACECF>${forged}${signatureOf(other).replace("</Signature>", `<Object>${other}</Object></Signature>`)}</ACECF>`,
		"a forgery that the signature names by its Id": `<ACECF>${forged}${signatureOf(other).replace('URI=""', 'URI="#o"').replace("</Signature>", `<Object Id="o">${other}</Object></Signature>`)}</ACECF>`,
		"a forgery around the signed approval": `<ACECF>${forged}${other}</ACECF>`,
		"a forgery before the signed detail": other.replace("<ACECF>", `<ACECF>${forged}`),
		"a forgery behind the signed detail": other.replace("<Signature ", `${forged}<Signature `),
		"a signature before what it signs": good
			.replace(signatureOf(good), "")
			.replace("<ACECF>", `<ACECF>${signatureOf(good)}`),
		"two signatures": good.replace("</ACECF>", `${signatureOf(good)}</ACECF>`),
		"a comment in the total": good.replace("<MontoTotal>5", "<MontoTotal><!-- -->5"),
		"an entity in the total": `<!DOCTYPE ACECF [<!ENTITY t "5310.00">]>${good.replace(`>${sold.total}<`, ">&t;<")}`,
		"a certificate that its holder made himself": signedAcecf(sold, { identity: identities.selfMade }),
		"a certificate of another authority": signedAcecf(sold, { identity: identities.otherAuthority }),
		"another holder's certificate with another key": signedAcecf(sold, { identity: identities.stolenCertificate }),
		"a certificate that has ended": signedAcecf(sold, { identity: identities.expired }),
		"a certificate whose holder's name has a zero byte": signedAcecf(sold, { identity: nameless }),
		"two details, signed": sealed(forged + acecfOf({ ...sold, encf: "E310000000998" })),
		"two states, signed": edited("<Estado>1</Estado>", "<Estado>1</Estado><Estado>2</Estado>"),
		"two buyers, signed": edited("<RNCComprador>", "<RNCComprador>101010101</RNCComprador><RNCComprador>"),
		"members of another namespace, signed": edited("<Estado>", '<Estado xmlns="urn:x">'),
		"an acknowledgement in an approval's place": seal(`<ARECF>${forged}${plainSignature(identities.good)}</ARECF>`, {
			identity: identities.good,
		}),
		"another buyer, signed": signedAcecf({ ...sold, buyerRnc: "101010101" }),
		"another total, signed": signedAcecf({ ...sold, total: "5310.01" }),
		"another day, signed": signedAcecf({ ...sold, issueDate: "2026-01-01" }),
		"another issuer, signed": signedAcecf({ ...sold, issuerRnc: "101010101" }),
		"a number that leads out of a folder, signed": edited(/<eNCF>[^<]*/, "<eNCF>../../../etc"),
		"a rejection without a reason, signed": edited("<Estado>1", "<Estado>2"),
		"UTF-16": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(good, "utf16le")]),
		"a depth without end": good.replace("<Estado>", `${"<x>".repeat(5_000)}${"</x>".repeat(5_000)}<Estado>`),
		nothing: "",
	};
}

test(
	"none is taken or stored, and a genuine decision is accepted afterwards",
	async () => {
		const hostile = Object.entries(hostileApprovals());
		const found: unknown[] = [];
		for (const [name, xml] of hostile) {
			const answer = await sendAcecf(service, xml);
			found.push([name, answer.status === 400 || answer.status === 401 ? "refused" : answer.status]);
			await answer.text();
		}
		expect(found).toEqual(hostile.map(([name]) => [name, "refused"]));
		expect((await sendAcecf(service, "x".repeat(200_000))).status).toBe(413);
		expect(await service.sql`select 1 from approvals`).toHaveLength(0);
		expect(await service.sql`select 1 from events where event = 'approval.received'`).toHaveLength(0);
		// Indented by its sender after signing, as some programs do.
		expect((await sendAcecf(service, signedAcecf(sold).replaceAll("><", ">\n  <"))).status).toBe(200);
		expect(await service.sql`select 1 from approvals`).toHaveLength(1);
	},
	WAIT_MS,
);
