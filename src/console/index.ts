/** The web console: its page and files as operations. The pages themselves are in `web`, which runs in the browser. */
export {
	ASSETS_PATH,
	type Asset,
	CODED_ENDINGS,
	createBundle,
	digestSources,
	MANIFEST_FILE,
	type Manifest,
	type OpenBundle,
	PAGE_FILE,
	PORTAL_FILE,
} from "./bundle";
export { type ConsoleDeps, consoleOperations } from "./operations";
