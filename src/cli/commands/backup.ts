// `rouse backup`: copies the embedded store into one file, whether or not a gateway is running.
import { existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../../config/config.ts";
import { codeOf, StoreUnavailable, UsageError } from "../../core/errors.ts";
import { newId } from "../../core/id.ts";
import type { Copied } from "../../store/sqlite/backup.ts";
import { type Command, type Context, WrongUsage } from "../command.ts";
import { loadSettings } from "../open/settings.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { pathFrom } from "../terminal/folder.ts";
import { printJson, printLine } from "../terminal/output.ts";
import { createProgress } from "../terminal/progress.ts";

const flags = { ...configFlag, ...jsonFlag, force: { type: "boolean" } } as const;

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  const [written] = positionals;
  if (written === undefined || written === "-") throw new WrongUsage("Into which file? backup FILE");
  refuseMore(positionals, 1);
  const { config } = await loadSettings(context, values.config);
  const { url, path } = config.store;
  if (url !== null) throw new UsageError(usePgDump);
  const file = pathFrom(context.folder, written);
  if (!existsSync(path))
    throw new UsageError(`There is no store at ${path} yet, so there is nothing to back up.`);
  refuseTarget(file, config, values.force === true);
  const startedAt = context.clock.monotonic();
  const copied = await copyBeside(context, path, file);
  const tookMs = context.clock.monotonic() - startedAt;
  if (values.json) printJson(context, { file, ...copied, tookMs: Math.round(tookMs) });
  else printLine(context, doneSentence(file, copied, tookMs));
  return 0;
}

const usePgDump = `The store is PostgreSQL (store.url), which has its own tools for this:
  pg_dump --format=custom --file=rouse.dump "$DATABASE_URL"
More, also for backups without a gap: docs/operations.md, "Backup and restore".`;

function refuseTarget(file: string, { store: { path } }: Config, force: boolean): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (there.isDirectory()) throw new UsageError(`${file} is a folder: name a file in it.`);
  const store = realpathSync(path);
  if (isOwnFile(realpathSync(file), store))
    throw new UsageError(`${file} belongs to the store itself: name another file.`);
  if (!force)
    throw new UsageError(`${file} is there already. Name another file, or replace it with --force.`);
}

const isOwnFile = (file: string, store: string): boolean =>
  file === store || [`${store}-wal`, `${store}-shm`, `${store}-journal`, `${store}.lock`].includes(file);

/** Into a file beside the one that was asked for, which is then renamed: what has that name is whole. */
async function copyBeside(context: Context, path: string, file: string): Promise<Copied> {
  const { copyDatabase } = await import("../../store/sqlite/backup.ts");
  const { syncFolder } = await import("../../config/write/write.ts");
  const temporary = `${file}.${newId()}.tmp`;
  const remove = (): void => rmSync(temporary, { force: true });
  context.onStopSignal(() => {
    remove();
    context.exit(1);
  });
  const progress = createProgress(context);
  try {
    const copied = await copyDatabase(path, temporary, ({ pages, total }) =>
      progress.show(`${pages} of ${total} pages are copied`),
    );
    renameSync(temporary, file);
    syncFolder(dirname(file));
    return copied;
  } catch (fault) {
    remove();
    throw backupFault(fault, file);
  } finally {
    progress.clear();
  }
}

/** Says that nothing is left behind; any other fault stays as it is. */
function backupFault(fault: unknown, file: string): unknown {
  if (fault instanceof StoreUnavailable)
    return new UsageError(`The backup could not be made: ${fault.message}. ${file} was not written.`);
  const code = codeOf(fault);
  if (code === "ENOENT") return new UsageError(`There is no folder ${dirname(file)}: make it first.`);
  if (["EACCES", "EPERM", "EROFS"].includes(code))
    return new UsageError(`${file} cannot be written (${code}): name a file in a folder of yours.`);
  return fault;
}

const megabyte = 1_000_000;

function doneSentence(file: string, { bytes, schema }: Copied, tookMs: number): string {
  const size = bytes < megabyte ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / megabyte).toFixed(1)} MB`;
  return `The store is copied to ${file}: ${size}, schema ${schema}, checked, in ${(tookMs / 1000).toFixed(1)} s. Keep the config, its secrets and the workspaces, too.`;
}

export const command: Command = {
  name: "backup",
  summary: "copy the store into one file while it is in use",
  help: `Usage: rouse backup FILE [--force] [--json] [--config FILE]

Copies the embedded store (SQLite) into one file, whether or not a gateway is running. Everything that
was accepted before the command is in the copy. It is written beside FILE, checked, and renamed at the
end, so that a file of that name is always whole; only its owner can read it.

To restore: stop the gateway, put the copy in place as rouse.db, remove rouse.db-wal and rouse.db-shm,
start. Config, secrets and workspaces are not in it. PostgreSQL has its own tools: see
docs/operations.md.

Options:
  --force        replace FILE if it is there
  --json         file, bytes, schema and tookMs as JSON
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse backup rouse-copy.db
  rouse backup /backup/rouse.db --force`,
  syntax: { options: flags },
  run,
};
