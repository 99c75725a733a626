// Suggestions below the search box, as an ARIA combobox with a list. Without this script the form works alone.
// Source: ARIA Authoring Practices Guide, "Editable Combobox With List Autocomplete".

const form = document.querySelector("form[role=search]");
const input = document.getElementById("q");
const said = document.getElementById("said");
const language = document.documentElement.lang;
/** The shortest text that is searched. */
const LENGTH_MIN = 2;

const list = document.createElement("ul");
list.id = "suggestions";
list.hidden = true;
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", document.querySelector("label[for=q]").textContent);
input.closest(".box").append(list);
input.setAttribute("role", "combobox");
input.setAttribute("aria-autocomplete", "list");
input.setAttribute("aria-controls", list.id);
input.setAttribute("aria-expanded", "false");

/** The number of the chosen suggestion; -1 while the text itself is chosen. */
let chosen = -1;
let pending;

function close() {
	list.hidden = true;
	list.replaceChildren();
	chosen = -1;
	input.setAttribute("aria-expanded", "false");
	input.removeAttribute("aria-activedescendant");
}

function choose(index) {
	const options = [...list.children];
	options[chosen]?.setAttribute("aria-selected", "false");
	chosen = index;
	const option = options[index];
	if (!option) {
		input.removeAttribute("aria-activedescendant");
		return;
	}
	option.setAttribute("aria-selected", "true");
	option.scrollIntoView({ block: "nearest" });
	input.setAttribute("aria-activedescendant", option.id);
}

function open(rnc) {
	location.assign(`/consulta/${rnc}${language === "es" ? "" : `?lang=${language}`}`);
}

function toOption({ rnc, name, trade_name, status }, index) {
	const option = document.createElement("li");
	option.id = `suggestion-${index}`;
	option.dataset.rnc = rnc;
	option.setAttribute("role", "option");
	option.setAttribute("aria-selected", "false");
	const title = document.createElement("span");
	title.textContent = name || rnc;
	const rest = document.createElement("span");
	rest.className = "soft line";
	rest.textContent = [trade_name, rnc, status].filter(Boolean).join(" · ");
	option.append(title, rest);
	return option;
}

function show(suggestions) {
	close();
	said.textContent =
		suggestions.length > 0 ? said.dataset.some.replace("{count}", suggestions.length) : said.dataset.none;
	if (suggestions.length === 0) return;
	list.replaceChildren(...suggestions.map(toOption));
	list.hidden = false;
	input.setAttribute("aria-expanded", "true");
}

async function suggest() {
	pending?.abort();
	const text = input.value.trim();
	if (text.length < LENGTH_MIN) {
		said.textContent = "";
		close();
		return;
	}
	pending = new AbortController();
	try {
		const address = `/consulta/sugerencias?q=${encodeURIComponent(text)}`;
		const answer = await fetch(address, { signal: pending.signal });
		// Beyond the limit, or without data, the form still works.
		if (answer.ok) show((await answer.json()).suggestions);
		else close();
	} catch (error) {
		if (error.name !== "AbortError") close();
	}
}

input.addEventListener("input", suggest);
input.addEventListener("blur", close);
input.addEventListener("keydown", (event) => {
	const count = list.children.length;
	if (event.key === "Escape" && !list.hidden) {
		// The browser would also clear the box.
		event.preventDefault();
		pending?.abort();
		close();
	} else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count > 0) {
		event.preventDefault();
		const step = event.key === "ArrowDown" ? 1 : -1;
		// One place more than suggestions: the text itself.
		choose(((chosen + 1 + step + count + 1) % (count + 1)) - 1);
	} else if (event.key === "Enter" && chosen >= 0) {
		event.preventDefault();
		open(list.children[chosen].dataset.rnc);
	}
});
// Before the box loses the focus, which would close the list.
list.addEventListener("mousedown", (event) => event.preventDefault());
list.addEventListener("click", (event) => {
	const option = event.target.closest("[role=option]");
	if (option) open(option.dataset.rnc);
});
form.addEventListener("submit", () => pending?.abort());
