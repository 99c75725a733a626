/** The processes of a deployment, and the settings that they must agree on. */
export { DeploymentSettingsError, joinDeployment, type Membership, setForAll } from "./membership";
export { awaitsRestoration, forgetProcesses, listProcesses, listSettings, listUnreported } from "./store";
