// DBOS: a workflow of one step. `startWorkflow` resolves once the workflow is in PostgreSQL; the step and the
// workflow's end are written there too. It runs at once, beside as many others as there are: no queue limits it.
import { importRival } from "../queue/rival.ts";
import { rowFinder } from "./database.ts";
import type { OpenPeer, PeerOptions } from "./peer.ts";

type Workflow = (id: string, payload: unknown) => Promise<void>;
type Dbos = {
  setConfig(config: object): void;
  launch(): Promise<void>;
  registerWorkflow(workflow: Workflow, options: { name: string }): Workflow;
  runStep(step: () => Promise<void>, options: { name: string }): Promise<void>;
  startWorkflow(workflow: Workflow, options: { workflowID: string }): Workflow;
};

export async function open({ address, callAgent }: PeerOptions): Promise<OpenPeer> {
  const { DBOS } = await importRival<{ DBOS: Dbos }>("@dbos-inc/dbos-sdk");
  const callOrWait = async (id: string): Promise<void> => {
    if (callAgent === null) return new Promise<void>(() => {});
    await DBOS.runStep(() => callAgent(id), { name: "agent" });
  };
  const workflow = DBOS.registerWorkflow(callOrWait, { name: "run" });
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: address,
    systemDatabasePoolSize: 20,
    logLevel: "error",
  });
  await DBOS.launch();
  return {
    async accept(id, payload) {
      await DBOS.startWorkflow(workflow, { workflowID: id })(id, payload);
    },
    hasUnfinished: await rowFinder(
      address,
      "select 1 from dbos.workflow_status where status in ('PENDING', 'ENQUEUED')",
    ),
  };
}
