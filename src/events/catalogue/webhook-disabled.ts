import { Type } from "@sinclair/typebox";
import { defineEvent, EXAMPLE_OTHER, OTHER_ID, text } from "./definition";

/** Sent when an endpoint answers 410. */
export const webhookDisabled = defineEvent({
	name: "webhook.disabled",
	sentWhen: "A webhook answered 410 and was disabled. The company's other webhooks get this event.",
	members: {
		webhook: Type.Object({ id: text(), url: text("Its first 4 KiB."), reason: text() }),
	},
	example: {
		...EXAMPLE_OTHER,
		webhook: { id: OTHER_ID, url: "https://erp.elprogreso.do/hooks/ecf", reason: "The endpoint answered 410 Gone." },
	},
});
