// The port of senders.
import type { Driver } from "../driver/program.ts";
import type { Senders } from "../ports/senders.ts";
import type { Programs } from "../programs/catalogue.ts";

export const createSenders = (driver: Driver<Programs>): Senders => ({
  noteCalls: (calls) => driver.run("noteCalls", { calls }),
  listSenders: () => driver.run("listSenders", {}),
  openPairing: (pairing) => driver.run("openPairing", pairing),
  takeKey: (key) => driver.run("takeKey", key),
  forgetKey: (name) => driver.run("forgetKey", { name }),
  senderKeys: () => driver.run("senderKeys", null),
});
