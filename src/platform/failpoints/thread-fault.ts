/**
 * Named places at which a test may have a thread end or hang, while its process lives on. Nothing happens at them unless
 * `NODE_ENV` is `test` and `THREAD_FAULT` names one, as `NAME:NTH:exit` or `NAME:NTH:hang`. Every thread counts for itself, a
 * replacement from one again.
 */
type ThreadFaultPoint = "sign-job" | "signed";

const order =
	process.env.NODE_ENV === "test"
		? /^([a-z-]+):([1-9]\d{0,3}):(exit|hang)$/.exec(process.env.THREAD_FAULT ?? "")
		: null;
const [, armed, , action] = order ?? [];
let passesLeft = Number(order?.[2] ?? 0);

/** Passes a fault point; the armed one strikes at the thread's nth passing. */
export function threadFaultPoint(name: ThreadFaultPoint): void {
	if (name !== armed) return;
	passesLeft--;
	if (passesLeft !== 0) return;
	if (action === "exit") process.exit(3);
	for (;;) Math.random();
}
