// A channel of your own: appends every message to a file, one JSON object in a line. Good for trying things out, and a
// start for a channel to somewhere else.
//
//   channels: {
//     plugins: [{ module: "./file.ts", to: "notes", settings: { folder: "/var/lib/rouse/messages" } }],
//   },
//
// After that `file` is a channel: `"channel": "file", "to": "notes"` in a hook's payload, `rouse channels test file`.
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Channel, ChannelPlugin } from "rouse/channel";

const plugin: ChannelPlugin = {
  id: "file",
  create(settings) {
    const { folder } = settings as { folder?: unknown };
    if (typeof folder !== "string" || folder === "") throw new Error("settings.folder must name a folder");
    return createFileChannel(folder);
  },
};
export default plugin;

function createFileChannel(folder: string): Channel {
  return {
    // A repeated line has the same id, so that readers of the file can skip it; nothing here does.
    idempotent: false,

    // `to` becomes part of a path and can come from outside: only names that cannot lead elsewhere.
    recipientFault: (to) => (/^[a-z0-9][a-z0-9-]{0,63}$/.test(to) ? null : "must be a name such as notes"),

    // A file has no limit: the whole reply is one message. A blank reply is none.
    render: (markdown) => (markdown.trim() === "" ? [] : [markdown]),

    async send({ id, to, text }, signal) {
      if (signal.aborted) return { kind: "retry", reason: "stopped before it was written", afterMs: null };
      try {
        await mkdir(folder, { recursive: true });
        await appendFile(join(folder, `${to}.jsonl`), `${JSON.stringify({ id, text })}\n`);
        return { kind: "sent" };
      } catch (fault) {
        // A full disk can have taken a part of it.
        return { kind: "unknown", reason: `could not write the file: ${codeOf(fault)}` };
      }
    },

    async check() {
      try {
        await mkdir(folder, { recursive: true });
        return { ok: true, detail: "the folder is there" };
      } catch (fault) {
        return { ok: false, reason: `the folder cannot be made: ${codeOf(fault)}` };
      }
    },
  };
}

const codeOf = (fault: unknown): string => (fault as { code?: string }).code ?? "unknown";
