/** Starts the portal in the browser. Its language and theme may be given in the address: `?lang=en&theme=dark`. */
import { Router } from "wouter";
import { setLanguage } from "./app/language";
import { start } from "./app/start";
import { setTheme } from "./app/theme";
import { Portal } from "./pages/portal/portal";

const wanted = new URLSearchParams(location.search);
const [lang, theme] = [wanted.get("lang"), wanted.get("theme")];
if (lang === "es" || lang === "en") setLanguage(lang);
if (theme === "light" || theme === "dark") setTheme(theme);

const [, , portalId = ""] = location.pathname.split("/");
start(
	<Router base={`/portal/${portalId}`}>
		<Portal portalId={portalId} />
	</Router>,
);
