// `rouse send` to the hook of a sender: signs the body as the sender would, with the secret of the config.
import { randomUUID } from "node:crypto";
import type { Config, SenderConfig } from "../../config/config.ts";
import { formatPath } from "../../config/problem.ts";
import { UsageError } from "../../core/errors.ts";
import type { SenderKind } from "../../hooks/senders/kind.ts";
import { labelOf } from "../../hooks/senders/label.ts";
import { prepareSenders, type Sender } from "../../hooks/senders/prepare.ts";
import { senderRequest } from "../../hooks/senders/request.ts";
import { contentType, eventHeader, freshBody, signDelivery } from "../../hooks/senders/sign-delivery.ts";
import { describeRequest } from "../../hooks/senders/verify.ts";
import { type Context, WrongUsage } from "../command.ts";
import { openStore, storeFault } from "../open/store.ts";
import { noteLine, printJson, printLine } from "../terminal/output.ts";
import { type HookResponse, postHook } from "./post.ts";
import type { Pair } from "./request-options.ts";
import { showEnds } from "./response.ts";

type Options = {
  event?: string | undefined;
  delivery?: string | undefined;
  fresh?: boolean | undefined;
  wait?: boolean | undefined;
  json?: boolean | undefined;
};

type Signing = {
  sender: SenderConfig;
  url: string;
  body: Buffer;
  headers: readonly Pair[];
  values: Options;
};

export async function sendSigned(context: Context, config: Config, signing: Signing): Promise<number> {
  const { url, values } = signing;
  const sender = usable(signing.sender);
  const delivery = signed(sender, signing, context.clock.now());
  const before = values.wait ? await runIdsOf(context, config, sender.name) : null;
  const { headers, body } = delivery;
  const response = await postHook(url, { token: null, body, headers, idempotencyKey: undefined });
  if (response.status < 200 || response.status > 299)
    return refused(context, config, sender, response, values);
  const what = describeRequest(
    sender.kind,
    senderRequest({ method: "POST", target: targetOf(url), rawHeaders: headers.flat() }, body),
  );
  if (before !== null)
    return waited(context, config, { name: sender.name, before, json: values.json === true });
  if (values.json) printJson(context, { ok: true, status: response.status, ...what });
  else printLine(context, takenWords(sender, what));
  return 0;
}

/** The settings can work: otherwise the gateway would not know the sender either. */
function usable(settings: SenderConfig): Sender {
  const prepared = prepareSenders([settings]);
  const found = prepared.ok ? prepared.senders.get(settings.name) : undefined;
  if (found !== undefined) return found;
  const findings = prepared.ok ? [] : prepared.findings;
  throw new UsageError(findings.map(({ path, message }) => `${formatPath(path)} ${message}`).join("\n"));
}

function signed(
  { name, kind, settings }: Sender,
  { url, body: read, headers: written, values }: Signing,
  now: number,
): { headers: Pair[]; body: Buffer } {
  const deliveryId = randomUUID();
  const body = values.fresh ? freshBody(kind, read, deliveryId) : read;
  const given = Object.fromEntries(written.map(([name, value]) => [name.toLowerCase(), value]));
  const named = values.event === undefined ? {} : eventHeader(kind, values.event);
  const headers = {
    "content-type": contentType(kind, body),
    ...given,
    ...named,
    ...idHeader(kind, values, given, deliveryId),
  };
  const unsigned = { method: "POST", target: targetOf(url), headers, body };
  const made = signDelivery(kind, settings, unsigned, { now, deliveryId });
  if (made === null) throw unsignable(kind, name);
  const all = { ...headers, ...made.headers };
  const request = senderRequest({ ...unsigned, rawHeaders: Object.entries(all).flat() }, made.body);
  const { event } = describeRequest(kind, request);
  if (values.event !== undefined && event !== values.event) throw otherEvent(kind, values.event, event);
  return { headers: Object.entries(all), body: made.body };
}

function idHeader(
  { id, schemes }: SenderKind,
  { delivery, fresh }: Options,
  given: Readonly<Record<string, string>>,
  freshId: string,
): Record<string, string> {
  const places = schemes.flatMap((scheme) => scheme.delivery?.at ?? []);
  const headers = places.flatMap((place) => ("header" in place ? [place.header] : []));
  const header = headers.find((each) => given[each] !== undefined) ?? headers[0];
  const wanted = delivery ?? (fresh ? freshId : undefined);
  if (wanted === undefined) return {};
  if (header !== undefined) return { [header]: wanted };
  if (delivery === undefined) return {};
  const place = places.map((each) => ("json" in each ? each.json : null)).find((each) => each !== null);
  throw new WrongUsage(
    place
      ? `The id of a ${id} delivery stands in its body (${place}): change it there, or make a new one with --fresh.`
      : `A ${id} delivery has no id.`,
  );
}

function otherEvent({ id, event }: SenderKind, wanted: string, found: string | null): WrongUsage {
  const places = (event?.at ?? []).map((place) => Object.values(place)[0] as string).join(", ");
  if (places === "") return new WrongUsage(`A ${id} delivery names no event.`);
  return new WrongUsage(
    `The event would be ${found ?? "missing"}, not ${wanted}: ${id} names it in ${places}. Change the payload or the headers.`,
  );
}

function unsignable({ id, label, schemes }: SenderKind, name: string): UsageError {
  const isKeyed = schemes.some(({ proof }) => proof.kind === "public-key" || proof.kind === "code");
  const why = isKeyed
    ? `a delivery of ${id} is proven by a key or a token that only ${label} has`
    : `this payload cannot be signed as ${labelOf({ id, label }, name)} would: a part that is signed is missing, or the secret is not in the config`;
  return new UsageError(
    `${name} cannot be called from here: ${why}. To see what its mapping makes of a payload: rouse explain ${name} --payload FILE`,
  );
}

const targetOf = (url: string): string => new URL(url).pathname + new URL(url).search;

const takenWords = (
  { name, kind }: Sender,
  { event, delivery }: { event: string | null; delivery: string | null },
): string =>
  [
    `Sent as ${labelOf(kind, name)} would${event === null ? "" : `, event ${event}`}${delivery === null ? "" : `, delivery ${delivery}`}: taken.`,
    `What came of it: rouse runs; nothing new there: rouse requests, or the same delivery came before. Why: rouse explain ${name}`,
  ].join("\n");

function refused(
  context: Context,
  { file }: Config,
  { name }: Sender,
  { status, body }: HookResponse,
  { json }: Options,
): number {
  if (json) printJson(context, body ?? { ok: false, status });
  const error = typeof body?.["error"] === "string" ? `${body["error"]} ` : "";
  if (status !== 401) noteLine(context, `${error}(${status})`);
  else
    noteLine(
      context,
      `The proof was refused (401). Does the gateway there use ${file}, with this secret and the same clock? Why: rouse senders`,
    );
  if (status === 404) noteLine(context, `The gateway there does not know the sender ${name}.`);
  return 1;
}

const newestRuns = 200;

async function runIdsOf(context: Context, config: Config, hook: string): Promise<string[]> {
  try {
    const store = await openStore(config.store, context.clock);
    try {
      const { items } = await store.searchRuns({
        hooks: [hook],
        kinds: ["hook"],
        limit: newestRuns,
        before: null,
      });
      return items.map(({ id }) => id);
    } finally {
      await store.close();
    }
  } catch (fault) {
    throw storeFault(fault, config);
  }
}

type Waiting = { name: string; before: readonly string[]; json: boolean };

/** A sender hears no ids, so its runs are found by their hook: what was taken is stored by now. */
async function waited(context: Context, config: Config, { name, before, json }: Waiting): Promise<number> {
  const ids = (await runIdsOf(context, config, name)).filter((id) => !before.includes(id));
  if (ids.length > 0) return showEnds(context, config, ids.toReversed(), json);
  if (json) printJson(context, []);
  else
    printLine(
      context,
      `It was taken, and led to no run: rouse requests says why. It may be a repeat, since the same body or id came before: --fresh makes it a new one.`,
    );
  return 0;
}
