// What a command changes is in the audit, with what came of it. A command says what it is about to change; the entries
// are written when it has ended. What was done stays done when they cannot be.
import { existsSync } from "node:fs";
import type { AuditOutcome } from "../../core/audit.ts";
import { UsageError } from "../../core/errors.ts";
import { newId } from "../../core/id.ts";
import { cutWithMark } from "../../core/text.ts";
import { type Context, type Write, WrongUsage } from "../command.ts";
import { openStore } from "../open/store.ts";
import { noteLine } from "../terminal/output.ts";

const longestSubject = 500;

export async function runAudited(
  context: Omit<Context, "audit">,
  run: (context: Context) => Promise<number>,
): Promise<number> {
  const writes: Write[] = [];
  const note = (outcome: AuditOutcome): Promise<void> => storeWrites(context, writes, outcome);
  try {
    const code = await run({ ...context, audit: (write) => void writes.push(write) });
    await note("done");
    return code;
  } catch (fault) {
    await note(fault instanceof UsageError || fault instanceof WrongUsage ? "refused" : "failed");
    throw fault;
  }
}

async function storeWrites(
  context: Omit<Context, "audit">,
  writes: readonly Write[],
  outcome: AuditOutcome,
): Promise<void> {
  const [first] = writes;
  // Before the first start there is no store, and so no audit.
  if (first === undefined || (first.store.url === null && !existsSync(first.store.path))) return;
  try {
    const store = await openStore(first.store, context.clock);
    try {
      for (const { verb, subject } of writes) {
        const about = cutWithMark(subject, longestSubject) || "-";
        await store.addAudit({ id: newId(), actor: "cli", verb, subject: about, outcome });
      }
    } finally {
      await store.close();
    }
  } catch {
    noteLine(context, "This could not be written into the audit (rouse audit): the store cannot be used.");
  }
}
