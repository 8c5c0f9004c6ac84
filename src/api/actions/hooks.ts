// An operator pauses a hook: its requests are accepted and stored, and their runs wait until it is resumed.
import type { PausedHooks } from "../../store/ports/hooks.ts";
import { type ActionResult, conflict, done } from "./result.ts";

export async function pauseHook(store: Pick<PausedHooks, "pauseHook">, hook: string): Promise<ActionResult> {
  if (!(await store.pauseHook(hook))) return conflict(`The hook ${hook} is paused already.`);
  return done(`The hook ${hook} is paused: its requests are stored, and their runs wait.`, {
    hook,
    paused: true,
  });
}

export async function resumeHook(
  store: Pick<PausedHooks, "pausedHooks" | "resumeHook">,
  hook: string,
): Promise<ActionResult> {
  const isPaused = (await store.pausedHooks()).some((each) => each.hook === hook);
  if (!isPaused) return conflict(`The hook ${hook} is not paused.`);
  const released = await store.resumeHook(hook);
  const waited = released === 1 ? "one run that waited is" : `${released} runs that waited are`;
  return done(`The hook ${hook} goes on: ${waited} queued.`, { hook, paused: false, released });
}
