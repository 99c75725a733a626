import { defineEvent, EXAMPLE_OTHER } from "./definition";

/** Reserved: endpoints can subscribe to it, and nothing sends it yet. */
export const registryRecordChanged = defineEvent({
	name: "registry.record_changed",
	sentWhen: null,
	members: {},
	example: EXAMPLE_OTHER,
});
