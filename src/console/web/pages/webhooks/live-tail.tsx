/** The company's events from now on, newest first. */
import { Pause, Play, Radio } from "lucide-react";
import { useState } from "react";
import { type LiveEvent, useLive } from "../../api/live";
import { useFormat } from "../../app/format";
import { useWords } from "../../app/language";
import { Button } from "../../kit/button";
import { CodeText } from "../../kit/code";
import { Empty } from "../../kit/states";
import { words } from "./words";

/** Older ones leave the page. */
const KEPT = 200;

export function LiveTail() {
	const t = useWords(words);
	const { clock } = useFormat();
	const [events, setEvents] = useState<readonly LiveEvent[]>([]);
	const [isPaused, setPaused] = useState(false);
	useLive((event) => {
		if (!isPaused) setEvents((former) => [event, ...former].slice(0, KEPT));
	});
	return (
		<>
			<div className="toolbar webhooks-filter">
				<Button icon={isPaused ? <Play aria-hidden /> : <Pause aria-hidden />} onClick={() => setPaused(!isPaused)}>
					{t(isPaused ? "resume" : "pause")}
				</Button>
				<span className="soft">{t(isPaused ? "paused" : "liveText")}</span>
			</div>
			{events.length === 0 ? (
				<Empty title={t("noEvents")} icon={Radio}>
					{t("noEventsText")}
				</Empty>
			) : (
				<ol className="webhooks-tail" aria-label={t("live")}>
					{events.map((event) => (
						<li key={`${event.event} ${event.docId} ${event.sequence}`}>
							<details>
								<summary>
									<span className="soft number">{clock(event.occurredAt)}</span> <code>{event.event}</code>
								</summary>
								<CodeText>{JSON.stringify(event, null, 2)}</CodeText>
							</details>
						</li>
					))}
				</ol>
			)}
		</>
	);
}
