// The pages of the documentation: theme, tabs, copying, search while typing, and the reader's own credentials. Without it every page is readable.
(() => {
	const root = document.documentElement;
	const isSpanish = root.lang === "es";
	const words = isSpanish
		? {
				...{ themes: { system: "Tema: sistema", light: "Tema: claro", dark: "Tema: oscuro" }, copied: "Copiado" },
				...{ copyPage: "Copiar como Markdown", use: "Usar mis credenciales", save: "Guardar", forget: "Olvidar" },
				keep: "Los ejemplos de las páginas muestran sus valores. Quedan en esta pestaña y no se envían a ninguna parte.",
				names: { api_key: "Clave de API", client_id: "Id. de cliente", client_secret: "Secreto", company_rnc: "RNC" },
				...{ languages: "Lenguaje de los ejemplos", results: "Resultados", close: "Cerrar" },
			}
		: {
				...{ themes: { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" }, copied: "Copied" },
				...{ copyPage: "Copy as Markdown", use: "Use my credentials", save: "Save", forget: "Forget" },
				keep: "The examples of all pages show your values. They stay in this tab and are sent nowhere.",
				names: { api_key: "API key", client_id: "Client id", client_secret: "Client secret", company_rnc: "RNC" },
				...{ languages: "Language of the examples", results: "Results", close: "Close" },
			};

	// A browser may refuse to store anything.
	const keep = (store, name, value) => {
		try {
			if (value === undefined) return window[store].getItem(name);
			if (value === null) window[store].removeItem(name);
			else window[store].setItem(name, value);
		} catch {}
		return null;
	};
	const make = (name, properties = {}, ...children) => {
		const { data = {}, attributes = {}, ...rest } = properties;
		const element = Object.assign(document.createElement(name), rest);
		Object.assign(element.dataset, data);
		for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
		element.append(...children);
		return element;
	};
	const all = (selector, within = document) => [...within.querySelectorAll(selector)];

	const THEMES = ["system", "light", "dark"];
	const themeOf = () => (THEMES.includes(keep("localStorage", "theme")) ? keep("localStorage", "theme") : "system");
	const showTheme = () => {
		if (themeOf() === "system") delete root.dataset.theme;
		else root.dataset.theme = themeOf();
	};
	// Before the page is painted.
	showTheme();

	const addTheme = () => {
		const button = make("button", { type: "button", textContent: words.themes[themeOf()] });
		button.onclick = () => {
			keep("localStorage", "theme", THEMES[(THEMES.indexOf(themeOf()) + 1) % THEMES.length]);
			showTheme();
			button.textContent = words.themes[themeOf()];
		};
		document.querySelector(".tools")?.append(button);
	};

	const copyBy = (button, text) => async () => {
		await navigator.clipboard.writeText(await text());
		const before = button.textContent;
		button.textContent = words.copied;
		setTimeout(() => {
			button.textContent = before;
		}, 1500);
	};
	const addCopying = () => {
		for (const button of all(".code > p > button")) {
			const code = button.closest(".code").querySelector("code");
			button.hidden = false;
			button.onclick = copyBy(button, () => `${code.textContent}\n`);
		}
		const link = document.querySelector("footer [data-markdown]");
		const title = document.querySelector("article .lead");
		if (!link || !title) return;
		const button = make("button", { type: "button", className: "use", textContent: words.copyPage });
		button.onclick = copyBy(button, async () => (await fetch(link.href)).text());
		title.after(make("p", { className: "actions" }, button));
	};

	// The chosen language of samples is shown wherever there is one.
	const showTab = (chosen) => {
		for (const group of all(".tabs")) {
			const blocks = all(":scope > .code", group);
			const shown = blocks.find((block) => block.dataset.tab === chosen) ?? blocks[0];
			for (const block of blocks) block.hidden = block !== shown;
			for (const tab of all("[role=tab]", group)) {
				const isShown = tab.getAttribute("aria-controls") === shown.id;
				tab.setAttribute("aria-selected", String(isShown));
				tab.tabIndex = isShown ? 0 : -1;
			}
		}
	};
	const addTabs = () => {
		for (const [n, group] of all(".tabs").entries()) {
			const list = make("div", { attributes: { role: "tablist", "aria-label": words.languages } });
			for (const block of all(":scope > .code", group)) {
				const { tab: name = "" } = block.dataset;
				block.id = `tab-${n}-${name}`;
				const tab = make("button", { type: "button", textContent: block.querySelector("span").textContent });
				tab.id = `${block.id}-name`;
				tab.setAttribute("role", "tab");
				tab.setAttribute("aria-controls", block.id);
				tab.onclick = () => {
					const top = tab.getBoundingClientRect().top;
					keep("localStorage", "tab", name);
					showTab(name);
					window.scrollBy(0, tab.getBoundingClientRect().top - top);
				};
				block.setAttribute("role", "tabpanel");
				block.setAttribute("aria-labelledby", tab.id);
				list.append(tab);
			}
			list.onkeydown = ({ key }) => {
				const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
				const tabs = all("[role=tab]", list);
				if (!step) return;
				const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
				next.focus();
				next.click();
			};
			group.prepend(list);
		}
		showTab(keep("localStorage", "tab"));
	};

	// What has no need to scroll is no stop for the keyboard.
	const addStops = () => {
		const set = () => {
			for (const scroller of all("pre, .scroll")) {
				if (scroller.scrollWidth > scroller.clientWidth) scroller.tabIndex = 0;
				else scroller.removeAttribute("tabindex");
			}
		};
		set();
		addEventListener("resize", set);
	};

	const readCredentials = () => JSON.parse(keep("sessionStorage", "credentials") ?? "{}");
	const showCredentials = () => {
		const own = readCredentials();
		for (const place of all("var[data-name]")) {
			place.dataset.served ??= place.textContent;
			place.textContent = own[place.dataset.name] || place.dataset.served;
		}
	};
	const addCredentials = () => {
		const names = Object.keys(words.names).filter((name) => document.querySelector(`var[data-name=${name}]`));
		const place = document.querySelector("article .actions");
		if (names.length === 0 || !place) return;
		showCredentials();
		const fields = names.map((name) => {
			const kind = name.includes("secret") ? "password" : "text";
			return make("input", { name, type: kind, maxLength: 200, autocomplete: "off", spellcheck: false });
		});
		const save = make("button", { className: "button", textContent: words.save, value: "save" });
		const forget = make("button", { className: "button plain", textContent: words.forget, value: "forget" });
		const title = make("h2", { id: "credentials-title", textContent: words.use });
		const labels = fields.map((field) => make("label", {}, words.names[field.name], field));
		const end = make("p", { className: "actions" }, save, forget);
		const form = make("form", { method: "dialog" }, title, make("p", { textContent: words.keep }), ...labels, end);
		const dialog = make("dialog", { attributes: { "aria-labelledby": title.id } }, form);
		dialog.onclose = () => {
			if (dialog.returnValue === "forget") keep("sessionStorage", "credentials", null);
			if (dialog.returnValue === "save")
				keep("sessionStorage", "credentials", JSON.stringify(Object.fromEntries(new FormData(form))));
			showCredentials();
		};
		const button = make("button", { type: "button", className: "use", textContent: words.use });
		button.onclick = () => {
			const own = readCredentials();
			for (const field of fields) field.value = own[field.name] ?? "";
			dialog.returnValue = "";
			dialog.showModal();
		};
		place.append(button);
		document.body.append(dialog);
	};

	const addSearch = () => {
		const form = document.querySelector(".bar form");
		const input = form?.q;
		if (!input) return;
		input.placeholder += "  ( / )";
		let list;
		let latest = 0;
		const close = () => {
			list?.remove();
			list = undefined;
		};
		const search = async (turn) => {
			const query = input.value.trim();
			if (query.length < 2) return close();
			const answer = await fetch(`${form.action}?q=${encodeURIComponent(query)}`, {
				headers: { accept: "application/json" },
			});
			if (turn !== latest || !answer.ok) return;
			const { items } = await answer.json();
			close();
			const hits = items.slice(0, 8).map(({ url, title, heading }) => {
				return make("li", {}, make("a", { href: url }, heading || title, make("small", { textContent: title })));
			});
			if (hits.length === 0) return;
			list = make("ul", { className: "found", attributes: { "aria-label": words.results } }, ...hits);
			form.append(list);
		};
		let timer;
		input.oninput = () => {
			clearTimeout(timer);
			const turn = ++latest;
			timer = setTimeout(() => search(turn), 250);
		};
		const move = (event) => {
			if (event.key === "Escape") {
				close();
				input.focus();
			}
			const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
			if (!step || !list) return;
			event.preventDefault();
			const stops = [input, ...all("a", list)];
			stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
		};
		form.addEventListener("keydown", move);
		form.addEventListener("focusout", ({ relatedTarget }) => {
			if (relatedTarget && !form.contains(relatedTarget)) close();
		});
		document.addEventListener("click", ({ target }) => {
			if (!form.contains(target)) close();
		});
		document.addEventListener("keydown", (event) => {
			const isTyping = event.target.closest?.("input, textarea, select, dialog, [contenteditable]");
			if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
			event.preventDefault();
			input.focus();
			input.select();
		});
	};

	document.addEventListener("DOMContentLoaded", () => {
		for (const add of [addTheme, addCopying, addTabs, addCredentials, addSearch, addStops]) add();
	});
})();
