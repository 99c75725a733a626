/**
 * Named places at which a test may have the process killed, as if the power had failed there. Nothing happens at them unless
 * `NODE_ENV` is `test` and `FAULT_POINT` names one, as `NAME:NTH`; the crash harness sets both for a service that it started.
 */
const order = process.env.NODE_ENV === "test" ? /^(P\d{2}):([1-9]\d{0,3})$/.exec(process.env.FAULT_POINT ?? "") : null;
const armedName = order?.[1];
let passesLeft = Number(order?.[2] ?? 0);

/** Passes a fault point. The one that is armed ends the process at its nth passing, without a goodbye. */
export function faultPoint(name: string): void {
	if (name !== armedName) return;
	passesLeft--;
	if (passesLeft === 0) process.kill(process.pid, "SIGKILL");
}
