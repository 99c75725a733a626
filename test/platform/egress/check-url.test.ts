import { expect, test } from "bun:test";
import { checkOutboundUrl, type EgressPolicy } from "../../../src/platform/egress";

const production: EgressPolicy = { environment: "production", allow: new Set() };
const sandbox: EgressPolicy = { environment: "sandbox", allow: new Set() };

const refused: Record<string, string[]> = {
	"malformed-url": [
		"",
		"erp.example.com/hooks",
		"//erp.example.com/hooks",
		"https://",
		"https://[::1",
		"https://[fe80::1%25eth0]/",
		"https://erp.example.com:99999/",
		"https://1.2.3.4.5/",
		"https://0x7f.1.2.3.4/",
		"https://256.256.256.256/",
		"https://erp..example.com/",
		"https://erp.example.com../",
		" https://erp.example.com/",
		"https://erp.example.com/\n",
		"https://erp.exam\tple.com/",
		"https://erp.example.com\\@127.0.0.1/",
		"https:\\\\erp.example.com/",
		"https://erp.example.com/\u0000",
		"https://erp .example.com/",
	],
	"scheme-not-allowed": [
		"http://erp.example.com/",
		"HTTP://erp.example.com/",
		"ftp://erp.example.com/",
		"file:///etc/hostname",
		"data:application/json,{}",
		"javascript:alert(1)",
		"gopher://erp.example.com:70/",
		"ws://erp.example.com/",
		"wss://erp.example.com/",
		"unix:///var/run/docker.sock",
		"blob:https://erp.example.com/1",
	],
	"userinfo-not-allowed": [
		"https://user@erp.example.com/",
		"https://user:secret@erp.example.com/",
		"https://:secret@erp.example.com/",
		"https://erp.example.com@127.0.0.1/",
		"https://127.0.0.1#@erp.example.com:443@erp.example.com/".replace("#", "%23"),
	],
	"port-not-allowed": [
		"https://erp.example.com:22/",
		"https://erp.example.com:25/",
		"https://erp.example.com:1/",
		"https://erp.example.com:79/",
		"https://erp.example.com:81/",
		"https://erp.example.com:442/",
		"https://erp.example.com:444/",
		"https://erp.example.com:1023/",
		"https://erp.example.com:0/",
	],
	"private-address": [
		"https://127.0.0.1/",
		"https://127.1/",
		"https://127.0.1/",
		"https://2130706433/",
		"https://0x7f000001/",
		"https://0x7f.0.0.1/",
		"https://0177.0.0.1/",
		"https://017700000001/",
		"https://127.0.0.1./",
		"https://127.255.255.254:8443/",
		"https://①②⑦.⓪.⓪.①/",
		"https://127。0。0。1/",
		"https://%31%32%37.0.0.1/",
		"https://0/",
		"https://0.0.0.0/",
		"https://10.0.0.1/",
		"https://100.64.0.1/",
		"https://169.254.169.254/latest/meta-data/",
		"https://0xa9fea9fe/",
		"https://2852039166/",
		"https://0251.0376.0251.0376/",
		"https://172.16.0.1/",
		"https://172.31.255.255/",
		"https://192.168.1.1/",
		"https://192.0.0.192/",
		"https://168.63.129.16/",
		"https://198.18.0.1/",
		"https://224.0.0.1/",
		"https://255.255.255.255/",
		"https://[::]/",
		"https://[::1]/",
		"https://[0:0:0:0:0:0:0:1]/",
		"https://[::ffff:127.0.0.1]/",
		"https://[::ffff:7f00:1]/",
		"https://[::ffff:169.254.169.254]/",
		"https://[::127.0.0.1]/",
		"https://[64:ff9b::169.254.169.254]/",
		"https://[64:ff9b:1::1]/",
		"https://[2002:7f00:1::]/",
		"https://[2001::1]/",
		"https://[2001:db8::1]/",
		"https://[fc00::1]/",
		"https://[fd00:ec2::254]/",
		"https://[fe80::1]/",
		"https://[fec0::1]/",
		"https://[ff02::1]/",
	],
	"private-name": [
		"https://localhost/",
		"https://LOCALHOST/",
		"https://localhost./",
		"https://localhost:8443/",
		"https://app.localhost/",
		"https://%6c%6fcalhost/",
		"https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
		"https://printer.local/",
		"https://printer.local./",
		"https://db.internal/",
		"https://metadata.google.internal/computeMetadata/v1/",
		"https://host.docker.internal/",
		"https://localhost.localdomain/",
		"https://router.lan/",
		"https://nas.home.arpa/",
		"https://erp.corp/",
		"https://intranet/",
		"https://postgres:5432/",
		"https://kubernetes/",
	],
};

test("every form of a URL that must not be called is refused with the rule it breaks", () => {
	const forms = Object.entries(refused).flatMap(([code, urls]) => urls.map((url) => ({ code, url })));
	expect(forms.length).toBeGreaterThanOrEqual(80);
	const found = forms.map(({ url }) => ({ code: checkOutboundUrl(url, production)?.code ?? "allowed", url }));
	expect(found).toEqual(forms);
});

test("public https URLs are allowed", () => {
	const urls = [
		"https://erp.elprogreso.do/hooks/ecf",
		"https://erp.elprogreso.do./hooks",
		"https://erp.example.com:8443/a?b=c#d",
		"https://erp.example.com:80/",
		"https://erp.example.com:1024/",
		"https://erp.example.com:65535/",
		"https://8.8.8.8/",
		"https://100.63.255.255/",
		"https://[2606:4700:4700::1111]/",
		"https://[64:ff9b::8.8.8.8]/",
		"https://facturación.do/",
		"https://localhost.example.com/",
		"https://internal.example.com/",
		"https://mylocal.do/",
	];
	for (const url of urls) expect([url, checkOutboundUrl(url, production)]).toEqual([url, undefined]);
});

test("plain http is for public hosts of the sandboxes only", () => {
	expect(checkOutboundUrl("http://erp.example.com/", sandbox)).toBeUndefined();
	expect(checkOutboundUrl("http://erp.example.com/", { ...sandbox, environment: "public-sandbox" })).toBeUndefined();
	expect(checkOutboundUrl("http://erp.example.com/", { ...sandbox, environment: "staging" })?.code).toBe(
		"scheme-not-allowed",
	);
	expect(checkOutboundUrl("http://127.0.0.1/", sandbox)?.code).toBe("private-address");
	expect(checkOutboundUrl("http://localhost:3001/", sandbox)?.code).toBe("private-name");
});

test("an allow-listed host and port may be private, over http and on any port", () => {
	const policy: EgressPolicy = {
		environment: "sandbox",
		allow: new Set(["127.0.0.1:81", "localhost:3001", "[::1]:9000"]),
	};
	for (const url of [
		"http://127.0.0.1:81/",
		"https://127.0.0.1:81/",
		"http://localhost:3001/x",
		"http://[::1]:9000/",
	]) {
		expect([url, checkOutboundUrl(url, policy)]).toEqual([url, undefined]);
	}
	for (const url of ["http://127.0.0.1:82/", "http://127.0.0.2:81/", "http://localhost/", "http://[::2]:9000/"]) {
		expect([url, checkOutboundUrl(url, policy)]).not.toEqual([url, undefined]);
	}
	expect(checkOutboundUrl("http://me:pw@127.0.0.1:81/", policy)?.code).toBe("userinfo-not-allowed");
	expect(checkOutboundUrl("file://127.0.0.1:81/etc", policy)).toBeDefined();
});
