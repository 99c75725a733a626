/** The delivery that the receivers' page shows: signed with a secret that stands beside it, so that whoever writes a receiver can try it. */
import { toDeliveryHeaders } from "../../events/webhooks";
import { escapeHtml, type Html } from "./html";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const DELIVERY_ID = "0192f121-7a00-7b11-9c22-334455667788";
const AT = new Date("2026-11-20T14:20:01.010Z");
const BODY = JSON.stringify({
	event: "invoice.accepted",
	docId: "0192f110-7a00-7b11-9c22-334455667788",
	trackId: "0192f110-7a00-7b11-9c22-334455667789",
	tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
	occurredAt: "2026-11-20T14:20:00.902Z",
	sequence: 48_213,
	docVersion: 4,
	encf: "E310000000001",
	client_request_id: "POS7-2026-11-20-000123",
	status: "accepted",
	authority: { code: "1" },
});

export function renderExample(): Html {
	const headers = toDeliveryHeaders({
		...{ secrets: { main: SECRET, next: undefined }, deliveryId: DELIVERY_ID, event: "invoice.accepted" },
		...{ body: Buffer.from(BODY), attempt: 1, at: AT },
	});
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	const request = ["POST /hooks/ecf HTTP/1.1", "Host: erp.elprogreso.do", ...lines, "", BODY].join("\n");
	return `<section id="example">
<h2><a href="#example">What arrives</a></h2>
<p>With the secret <code>${SECRET}</code> (the time of this one is long over, so a receiver has to be told it):</p>
<pre><code>${escapeHtml(request)}</code></pre>
</section>`;
}
