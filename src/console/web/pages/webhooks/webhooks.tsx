/** The company's webhooks: endpoints and how they do, what was sent to them, and events as they happen. */
import { Plus, Send, Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { useLiveRenewal } from "../../api/live";
import { useCall } from "../../api/use-call";
import { useWords } from "../../app/language";
import { useHere } from "../../app/session";
import { Button } from "../../kit/button";
import { SecretDialog } from "../../kit/dialog";
import { Block, Empty } from "../../kit/states";
import { Tabs } from "../../kit/tabs";
import { Deliveries } from "./deliveries";
import { EndpointDialog } from "./endpoint-dialogs";
import { Endpoints } from "./endpoints";
import { LiveTail } from "./live-tail";
import { TestDialog } from "./test-dialog";
import { words } from "./words";

/** After an event its first attempts take a moment. */
const GATHER_MS = 1_500;

export default function WebhooksPage() {
	const t = useWords(words);
	const { may } = useHere();
	const [params, setParams] = useSearchParams();
	const [open, setOpen] = useState<"create" | "test">();
	const [secret, setSecret] = useState<string>();
	const asked = useCall("listWebhooks", { query: { limit: 100 } });
	useLiveRenewal(["listDeliveries", "getWebhookStats"], GATHER_MS);
	const end = () => setOpen(undefined);
	const endpoints = asked.data?.items ?? [];
	const isTail = params.get("view") === "live" && may("events:read");
	const addButton = may("webhooks:write") ? (
		<Button kind="primary" icon={<Plus aria-hidden />} onClick={() => setOpen("create")}>
			{t("add")}
		</Button>
	) : null;
	const empty = (
		<Empty title={t("noEndpoints")} icon={WebhookIcon} actions={addButton}>
			{t("noEndpointsText")}
		</Empty>
	);
	return (
		<>
			<div className="page-head">
				<h1>{t("title")}</h1>
				{endpoints.length === 0 ? null : (
					<div className="toolbar">
						{may("webhooks:test") ? (
							<Button icon={<Send aria-hidden />} onClick={() => setOpen("test")}>
								{t("test")}
							</Button>
						) : null}
						{addButton}
					</div>
				)}
			</div>
			<section className="card" aria-labelledby="webhooks-endpoints">
				<div className="card-head">
					<h2 id="webhooks-endpoints">{t("endpoints")}</h2>
				</div>
				<Block asked={asked} isEmpty={({ items }) => items.length === 0} empty={empty}>
					{({ items }) => <Endpoints items={items} onSecret={setSecret} />}
				</Block>
			</section>
			<section className="card webhooks-log" aria-label={t("sent")}>
				<Tabs
					label={t("sent")}
					value={isTail ? "live" : "deliveries"}
					onChange={(view) => setParams(view === "live" ? { view } : {}, { replace: true })}
					tabs={[
						{ value: "deliveries", title: t("deliveries"), content: () => <Deliveries endpoints={endpoints} /> },
						...(may("events:read") ? [{ value: "live", title: t("live"), content: () => <LiveTail /> }] : []),
					]}
				/>
			</section>
			{open === "create" ? <EndpointDialog onSecret={setSecret} onClose={end} /> : null}
			{open === "test" ? <TestDialog endpoints={endpoints} onClose={end} /> : null}
			{secret === undefined ? null : (
				<SecretDialog
					title={t("secretTitle")}
					text={t("secretText")}
					secret={secret}
					onClose={() => setSecret(undefined)}
				/>
			)}
		</>
	);
}
