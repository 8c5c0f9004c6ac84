// A kept request becomes a request again: its target, its visible headers and its body, or another payload in place of
// that. It has been proven once, so that it goes past the proof; what decides is the configuration in use.
import { isRefusal } from "../../core/errors.ts";
import type { RequestRecord } from "../../core/request.ts";
import { parseJson } from "../../http/body.ts";
import { readMediaType } from "../../http/media-type.ts";
import { findHook, type Hook, type HookRequest, mappedRequest, type Sent } from "../decide.ts";
import { sentBy } from "../explain/explain.ts";
import { contentTypeOf, parseMapped } from "../mapping/request.ts";
import { isPing } from "../senders/take-proven.ts";
import type { HookSettings } from "../settings.ts";

export type KeptRequest = {
  record: RequestRecord;
  body: Uint8Array | null;
  /** In place of the body, as JSON. */
  payload?: Uint8Array | undefined;
};

/** What cannot be replayed, and why, in words for the operator. They hold nothing that came in but the hook's name. */
export type CannotReplay = {
  readonly cannot: "no-body" | "hook-gone" | "sender-gone" | "hooks-off" | "invalid-payload" | "ping";
  readonly reason: string;
};

export type Replayable = { hook: Hook; request: HookRequest };

export function replayable(
  kept: KeptRequest,
  { settings, now }: { settings: HookSettings; now: number },
): Replayable | CannotReplay {
  const { record, payload } = kept;
  const body = payload ?? kept.body;
  if (body === null)
    return { cannot: "no-body", reason: `its body was not kept: ${whyNoBody(record, settings)}` };
  const gone = whyGone(record, settings);
  if (gone !== null) return gone;
  const hook = findHook(record.hook, settings)!;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const fault = payload === undefined ? null : payloadFault(bytes, hook, settings);
  if (fault !== null) return { cannot: "invalid-payload", reason: fault };
  const request = requestOf(kept, { hook, body: bytes, now }, settings);
  return request.sent !== undefined && isPing(request.sent.sender, request.sent.event, settings.mappings.list)
    ? { cannot: "ping", reason: "it is a ping, which tries the connection" }
    : { hook, request };
}

function whyNoBody({ arrival }: RequestRecord, { keep }: HookSettings): string {
  if (arrival === null) return "it was recorded by an earlier version, which kept none";
  if (arrival.bytes === 0) return "it had none, or it was refused before its body was read";
  if (arrival.bytes > keep.largestBody)
    return `it has ${arrival.bytes} bytes, and hooks.keepRequestBytes is ${keep.largestBody}`;
  if (!keep.accepted) return "hooks.keepRequests is 0";
  return "hooks.keepRequests or hooks.keepRequestBytes did not allow it when it came, or it was refused before its body was read";
}

function whyGone(record: RequestRecord, settings: HookSettings): CannotReplay | null {
  const { hook } = record;
  if (!settings.enabled) return { cannot: "hooks-off", reason: "hooks.enabled is false" };
  if (hasCaller(record) && !settings.senders.has(hook) && cameFromSender(record, settings))
    return {
      cannot: "sender-gone",
      reason: `it came from the sender ${hook}, which hooks.senders no longer has`,
    };
  return findHook(hook, settings) === undefined
    ? { cannot: "hook-gone", reason: `no mapping of the configuration takes the hook ${hook}` }
    : null;
}

/** A token can have the name of a hook, too, but then it is there. */
const cameFromSender = ({ hook, credential, arrival }: RequestRecord, settings: HookSettings): boolean =>
  arrival?.event != null ||
  arrival?.delivery != null ||
  (credential === hook && settings.credentials.find(hook) === null);

function payloadFault(bytes: Buffer, { name }: Hook, { body, senders }: HookSettings): string | null {
  const most = senders.get(name)?.settings.maxBodyBytes ?? body.maxBytes;
  if (bytes.length > most) return `the payload has ${bytes.length} bytes, and the hook takes ${most}`;
  return isRefusal(parseJson(bytes)) ? "the payload must be JSON in UTF-8, and it is not" : null;
}

function requestOf(
  { record, payload }: KeptRequest,
  { hook, body, now }: { hook: Hook; body: Buffer; now: number },
  settings: HookSettings,
): HookRequest {
  const { arrival } = record;
  const isEdited = payload !== undefined;
  const rawHeaders = headersOf(arrival?.headers ?? {}, isEdited);
  const method = arrival?.method ?? null;
  const head = { method, address: null, target: arrival?.target ?? "", rawHeaders, body, now };
  const sender = hasCaller(record) ? settings.senders.get(hook.name) : undefined;
  const sent = sender && sentAgain(sentBy(sender, head), record, isEdited);
  const request: HookRequest = {
    ...head,
    idempotency: null,
    ...(sent ? { sent } : ofToken(record, settings)),
  };
  return hook.read === null && isJsonPayload(record, rawHeaders, isEdited)
    ? withJson(hook, request)
    : request;
}

/** What its token, if it is still there, gives to the runs that it starts. */
function ofToken(record: RequestRecord, { credentials, results }: HookSettings): Partial<HookRequest> {
  const { credential: name } = record;
  const credential = hasCaller(record) ? credentials.find(name) : null;
  if (credential === null) return { credential: name };
  const { callback } = credential;
  return { credential: name, callback, results: credential.results ?? results.access };
}

/** Mails and schedules came with no method. */
const hasCaller = ({ arrival }: RequestRecord): boolean => arrival?.method != null;

/** Where the body is what came, what its sender said then is still right: part of it may have stood in a secret header. */
function sentAgain(said: Sent, { arrival }: RequestRecord, isEdited: boolean): Sent {
  const event = arrival?.event ?? null;
  const delivery = arrival?.delivery ?? null;
  return isEdited
    ? { ...said, event: said.event ?? event, delivery: said.delivery ?? delivery }
    : { ...said, event: event ?? said.event, delivery: delivery ?? said.delivery };
}

const aboutBody: readonly string[] = ["content-type", "content-encoding", "content-length"];

function headersOf(kept: Readonly<Record<string, string>>, isEdited: boolean): string[] {
  if (!isEdited) return Object.entries(kept).flat();
  const others = Object.entries(kept).filter(([name]) => !aboutBody.includes(name));
  return [...others, ["content-type", "application/json"]].flat();
}

/** An edited payload is JSON, also for a hook whose sender sends forms; so is the body of its replay. */
const isJsonPayload = (
  { origin }: RequestRecord,
  rawHeaders: readonly string[],
  isEdited: boolean,
): boolean => isEdited || (origin === "replay" && readMediaType(contentTypeOf(rawHeaders))?.body === "json");

function withJson({ name }: Hook, request: HookRequest): HookRequest {
  const parsed = parseMapped(request.body);
  const mapped = isRefusal(parsed)
    ? parsed
    : { ...mappedRequest(name, parsed.value, request), body: request.body };
  return { ...request, mapped };
}
