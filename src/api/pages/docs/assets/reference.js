// "Run" on the pages of operations: sends the form's request with the credentials that the page's samples show, and shows the answer.
document.addEventListener("DOMContentLoaded", () => {
	const panel = document.querySelector("details.run");
	const form = panel?.querySelector("form");
	if (!form) return;
	panel.hidden = false;
	const shownValue = (name) => document.querySelector(`var[data-name=${name}]`)?.textContent ?? "";
	const fields = () => [...form.querySelectorAll("input[data-in]")];

	const readToken = async () => {
		const grant = {
			grant_type: "client_credentials",
			client_id: shownValue("client_id"),
			client_secret: shownValue("client_secret"),
		};
		const answer = await fetch("/v1/auth/token", {
			method: "POST",
			headers: { accept: "text/plain" },
			body: new URLSearchParams(grant),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(text);
		return text;
	};
	const send = async () => {
		const { method, path, key, token, keyed, type } = form.dataset;
		const named = (place) => fields().filter((field) => field.dataset.in === place);
		const filled = named("path").reduce(
			(text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)),
			path,
		);
		const query = new URLSearchParams(
			named("query")
				.filter(({ value }) => value !== "")
				.map(({ name, value }) => [name, value]),
		);
		const headers = { accept: "application/json, */*;q=0.5" };
		if (key === "true") headers["x-api-key"] = shownValue("api_key");
		if (token === "true") headers.authorization = `Bearer ${await readToken()}`;
		if (keyed === "true") headers["idempotency-key"] = crypto.randomUUID();
		if (type) headers["content-type"] = type;
		const body = type ? form.body.value : undefined;
		const answer = await fetch(`${filled}${query.size > 0 ? `?${query}` : ""}`, { method, headers, body });
		const kind = answer.headers.get("content-type") ?? "";
		const text = /json|xml|text/.test(kind) ? await answer.text() : `${(await answer.blob()).size} bytes, ${kind}`;
		return `HTTP ${answer.status}\n\n${/json/.test(kind) ? JSON.stringify(JSON.parse(text), null, 2) : text}`;
	};
	form.addEventListener("submit", async (event) => {
		event.preventDefault();
		const button = form.querySelector("button");
		const block = document.createElement("pre");
		block.tabIndex = 0;
		button.disabled = true;
		try {
			block.textContent = await send();
		} catch (error) {
			block.textContent = error.message;
		} finally {
			button.disabled = false;
		}
		const frame = document.createElement("div");
		frame.className = "code";
		frame.append(block);
		form.querySelector("output").replaceChildren(frame);
	});
});
