// One mailbox with its history. Ids are larger than what a number can hold.
import { type GoogleRequest, type Json, notFound, ok, type Part, refused, type Reply } from "./http.ts";

export type NewMail = {
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string | null;
  labels: readonly string[];
  /** Epoch milliseconds: when Gmail took it in. */
  at: number;
  attachments: readonly { name: string; type: string; bytes: number }[];
  /** Not to be seen in the history until `reveal`, although its hint has gone out. */
  hidden: boolean;
};

type Stored = NewMail & { id: string; threadId: string; labelIds: Set<string>; historyId: bigint };
type Change = { id: bigint; kind: "messagesAdded" | "labelsAdded"; mail: Stored; labels: readonly string[] };

export type GmailOptions = {
  account: string;
  now: () => number;
  /** Something happened: called with the history id. */
  onChange: (historyId: string) => void;
  /** Why a topic cannot be published to, if it cannot. */
  topicFault: (topic: string) => Reply | null;
};

const weekMs = 7 * 86_400_000;
const aboveNumbers = 9_007_199_254_740_993n;

export function createGmail({ account, now, onChange, topicFault }: GmailOptions) {
  const mails = new Map<string, Stored>();
  const changes: Change[] = [];
  let historyId = aboveNumbers;
  let oldestKnown = 0n;
  let nextMail = 0x1a2b3c4d5e6f7000n;
  const state = {
    /** Until when hints go out; 0: no watch. */
    watchedUntil: 0,
    watchedTopic: "",
    /** Whether a hidden change already counts in the history id that a list reports. */
    reportsHidden: false,
    pageSize: 100,
    watchCalls: 0,
    labels: [
      { id: "INBOX", name: "INBOX", type: "system" },
      { id: "Label_7", name: "Support", type: "user" },
    ],
  };

  const record = (kind: Change["kind"], mail: Stored, labels: readonly string[]): void => {
    historyId += 3n;
    mail.historyId = historyId;
    changes.push({ id: historyId, kind, mail, labels });
    if (state.watchedUntil > now()) onChange(String(historyId));
  };

  function deliver(parts: Partial<NewMail> = {}): string {
    nextMail += 1n;
    const id = nextMail.toString(16);
    const mail: Stored = {
      from: "Ann <ann@mail.test>",
      to: account,
      subject: `Mail ${id}`,
      text: `The text of ${id}.`,
      html: null,
      labels: ["INBOX", "UNREAD"],
      at: now(),
      attachments: [],
      hidden: false,
      ...parts,
      id,
      threadId: id,
      labelIds: new Set(parts.labels ?? ["INBOX", "UNREAD"]),
      historyId: 0n,
    };
    mails.set(id, mail);
    record("messagesAdded", mail, [...mail.labelIds]);
    return id;
  }

  function history(query: URLSearchParams): Reply {
    const start = query.get("startHistoryId") ?? "";
    if (!/^\d+$/.test(start))
      return refused(400, "invalidArgument", "Invalid startHistoryId", "INVALID_ARGUMENT");
    if (BigInt(start) < oldestKnown) return notFound();
    const label = query.get("labelId");
    const types = query.getAll("historyTypes");
    const isWanted = ({ kind }: Change) =>
      types.length === 0 || types.includes(kind.replace(/s(?=Added)/, ""));
    const visible = changes.filter(({ id, mail }) => id > BigInt(start) && !mail.hidden);
    const found = visible.filter((each) => isWanted(each) && (!label || each.mail.labelIds.has(label)));
    const size = Math.min(Number(query.get("maxResults") ?? state.pageSize), state.pageSize, 500);
    const at = Number(query.get("pageToken") ?? 0);
    const last = changes.findLast(({ mail }) => !mail.hidden)?.id ?? aboveNumbers;
    return ok({
      ...(found.length > 0 && { history: found.slice(at, at + size).map(toRecord) }),
      ...(at + size < found.length && { nextPageToken: String(at + size) }),
      historyId: String(state.reportsHidden ? historyId : last),
    });
  }

  function list(query: URLSearchParams): Reply {
    const q = query.get("q") ?? "";
    const bound = (name: string, otherwise: number) =>
      Number(new RegExp(`${name}:(\\d+)`).exec(q)?.[1] ?? otherwise);
    const [after, before] = [bound("after", 0) * 1000, bound("before", Infinity) * 1000];
    const labels = query.getAll("labelIds");
    const found = [...mails.values()]
      .filter(({ at, hidden }) => !hidden && at >= after && at < before)
      .filter(({ labelIds }) => labels.every((each) => labelIds.has(each)))
      .toSorted((left, right) => right.at - left.at);
    const size = Math.min(Number(query.get("maxResults") ?? 100), 500);
    const start = Number(query.get("pageToken") ?? 0);
    return ok({
      ...(found.length > 0 && {
        messages: found.slice(start, start + size).map(({ id, threadId }) => ({ id, threadId })),
      }),
      ...(start + size < found.length && { nextPageToken: String(start + size) }),
      resultSizeEstimate: found.length,
    });
  }

  function watch({ json }: GoogleRequest): Reply {
    state.watchCalls++;
    const topic = String(json["topicName"]);
    const fault = topicFault(topic);
    if (fault) return fault;
    state.watchedUntil = now() + weekMs;
    state.watchedTopic = topic;
    onChange(String(historyId));
    return ok({ historyId: String(historyId), expiration: String(state.watchedUntil) });
  }

  function respond(request: GoogleRequest): Reply {
    const path = request.path.replace(/^\/gmail\/v1\/users\/[^/]+/, "");
    const what = `${request.method} ${path}`;
    if (what === "GET /profile")
      return ok({ emailAddress: account, messagesTotal: mails.size, historyId: String(historyId) });
    if (what === "GET /labels") return ok({ labels: state.labels });
    if (what === "GET /history") return history(request.query);
    if (what === "GET /messages") return list(request.query);
    if (what === "POST /watch") return watch(request);
    if (what === "POST /stop") {
      state.watchedUntil = 0;
      return { status: 204, body: {} };
    }
    const [, id = "", attachment] = /^GET \/messages\/([^/]+)(?:\/attachments\/([^/]+))?$/.exec(what) ?? [];
    const mail = mails.get(id);
    if (!mail) return notFound();
    if (attachment !== undefined) return ok({ size: mail.text.length, data: base64(mail.text) });
    return ok(toMessage(mail, request.query.get("format") ?? "full"));
  }

  const part: Part = (request) => (request.path.startsWith("/gmail/v1/users/") ? respond(request) : null);

  return {
    part,
    state,
    deliver,
    ids: () => [...mails.keys()],
    historyId: () => String(historyId),
    remove: (id: string) => void mails.delete(id),
    /** What was hidden can be seen from now on. */
    reveal(): void {
      for (const mail of mails.values()) mail.hidden = false;
    },
    relabel(
      id: string,
      { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
    ): void {
      const mail = mails.get(id);
      if (!mail) throw new Error(`there is no mail ${id}`);
      for (const each of remove) mail.labelIds.delete(each);
      for (const each of add) mail.labelIds.add(each);
      record("labelsAdded", mail, add);
    },
    /** Every history id given out so far is no longer known. */
    expireHistory(): void {
      historyId += 3n;
      oldestKnown = historyId;
    },
  };
}

const toRecord = ({ id, kind, mail, labels }: Change): Json => {
  const message = { id: mail.id, threadId: mail.threadId, labelIds: [...mail.labelIds] };
  const change = kind === "labelsAdded" ? { message, labelIds: labels } : { message };
  return { id: String(id), messages: [{ id: mail.id, threadId: mail.threadId }], [kind]: [change] };
};

const base64 = (text: string): string => Buffer.from(text).toString("base64url");

function toMessage(mail: Stored, format: string): Json {
  const headers = Object.entries({ From: mail.from, To: mail.to, Subject: mail.subject }).map(
    ([name, value]) => ({
      name,
      value,
    }),
  );
  const basic = {
    id: mail.id,
    threadId: mail.threadId,
    labelIds: [...mail.labelIds],
    snippet: mail.text.slice(0, 100).replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
    historyId: String(mail.historyId),
    internalDate: String(mail.at),
    sizeEstimate: 1000,
  };
  if (format === "metadata") return { ...basic, payload: { mimeType: "text/plain", headers } };
  return { ...basic, payload: { ...payloadOf(mail), headers } };
}

function payloadOf({ text, html, attachments }: Stored): Json {
  const leaf = (mimeType: string, content: string): Json => ({
    mimeType,
    filename: "",
    headers: [{ name: "Content-Type", value: `${mimeType}; charset=utf-8` }],
    body:
      content.length > 20_000
        ? { attachmentId: "long", size: content.length }
        : { size: content.length, data: base64(content) },
  });
  const plain = leaf("text/plain", text);
  const readable =
    html === null
      ? plain
      : { mimeType: "multipart/alternative", filename: "", parts: [plain, leaf("text/html", html)] };
  if (attachments.length === 0) return readable;
  const files = attachments.map(({ name, type, bytes }) => ({
    mimeType: type,
    filename: name,
    body: { attachmentId: `file-${name}`, size: bytes },
  }));
  return { mimeType: "multipart/mixed", filename: "", parts: [readable, ...files] };
}
