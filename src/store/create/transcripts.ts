// The port of transcripts.
import type { Driver } from "../driver/program.ts";
import type { Transcripts } from "../ports/transcripts.ts";
import type { Programs } from "../programs/catalogue.ts";

export const createTranscripts = (driver: Driver<Programs>): Transcripts => ({
  listTurns: (of) => driver.run("listTurns", of),
  listSessions: (limit) => driver.run("listSessions", { limit }),
  resetSession: (session) => driver.run("resetSession", session),
  compact: (session) => driver.run("compact", session),
});
