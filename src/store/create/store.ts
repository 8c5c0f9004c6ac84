// The store over any driver: one factory a port. The SQL is in the programs.
import { createClockSteps, type ClockSteps } from "./clock-steps.ts";
import type { Driver } from "../driver/program.ts";
import type { Store } from "../ports/store.ts";
import type { Programs } from "../programs/catalogue.ts";
import { createDeliveries } from "./deliveries.ts";
import { createEvents } from "./events.ts";
import { createMail } from "./mail.ts";
import { noNotifier, type Notifier } from "./notifier.ts";
import { createAudit, createPausedHooks } from "./operators.ts";
import { createRequests } from "./requests.ts";
import { createRuns } from "./runs.ts";
import { createSearches } from "./searches.ts";
import { createSenders } from "./senders.ts";
import { createTranscripts } from "./transcripts.ts";
import { createUnreadableReports } from "./unreadable.ts";
import { createUpkeep } from "./upkeep.ts";

export type StoreOptions = {
  driver: Driver<Programs>;
  /** Without one, this store has a single gateway. */
  notifier?: Notifier;
  /** Without it, this store is opened for a command. */
  steps?: ClockSteps;
  /** Whether a statement costs a round trip. */
  isRemote?: boolean;
  /** Called with how many requests shared a commit. */
  onGroup?: ((size: number) => void) | undefined;
};

export const createStore = ({
  driver,
  notifier = noNotifier,
  steps = createClockSteps(),
  isRemote,
  onGroup,
}: StoreOptions): Store => {
  const unreadable = createUnreadableReports();
  return {
    ...createRequests({ driver, unreadable, isRemote, onGroup }),
    ...createRuns(driver, unreadable),
    ...createEvents(driver, unreadable),
    ...createDeliveries(driver, unreadable),
    ...createTranscripts(driver),
    ...createMail(driver, unreadable),
    ...createSenders(driver),
    ...createSearches(driver),
    ...createPausedHooks(driver),
    ...createAudit(driver),
    ...createUpkeep(driver, { notifier, steps, unreadable }),
  };
};
