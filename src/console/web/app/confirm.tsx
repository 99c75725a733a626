/** Asks for a factor when an operation wants one that was shown lately; the call goes on afterwards. */
import { lazy, Suspense, useEffect, useState } from "react";
import { whenConfirming } from "../api/call";

const ConfirmDialog = lazy(() => import("./confirm-dialog"));

export function Confirmation() {
	const [settle, setSettle] = useState<(isConfirmed: boolean) => void>();
	useEffect(() => whenConfirming(() => new Promise((resolve) => setSettle(() => resolve))), []);
	if (!settle) return null;
	const end = (isConfirmed: boolean) => {
		settle(isConfirmed);
		setSettle(undefined);
	};
	return (
		<Suspense>
			<ConfirmDialog onEnd={end} />
		</Suspense>
	);
}
