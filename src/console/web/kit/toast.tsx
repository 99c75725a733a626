/** Short notices at the edge of the page, over Base UI: `notify("Saved")`. */
import { Toast as Base } from "@base-ui/react/toast";
import { CircleCheck, CircleX, X } from "lucide-react";
import { useWords } from "../app/language";
import { Button } from "./button";
import { kitWords } from "./words";

const manager = Base.createToastManager();

/** `bad` for what failed. Screen readers read it when it appears. */
export function notify(
	title: string,
	{ type = "good", description = "" }: { readonly type?: "good" | "bad"; readonly description?: string } = {},
): void {
	manager.add({ title, description, type, priority: type === "bad" ? "high" : "low" });
}

/** The place where notices appear; once a page. */
export function Toasts() {
	return (
		<Base.Provider toastManager={manager}>
			<Base.Portal>
				<Shown />
			</Base.Portal>
		</Base.Provider>
	);
}

function Shown() {
	const t = useWords(kitWords);
	const { toasts } = Base.useToastManager();
	return (
		<Base.Viewport className="toasts" aria-label={t("notifications")}>
			{toasts.map((toast) => (
				<Base.Root key={toast.id} toast={toast} className="toast" data-type={toast.type}>
					{toast.type === "bad" ? <CircleX aria-hidden /> : <CircleCheck aria-hidden />}
					<div className="toast-text">
						<Base.Title className="toast-title" />
						{toast.description ? <Base.Description className="soft" /> : null}
					</div>
					<Base.Close render={<Button kind="quiet" isIcon icon={<X aria-hidden />} />}>{t("close")}</Base.Close>
				</Base.Root>
			))}
		</Base.Viewport>
	);
}
