// One mailbox with its history. Ids are too large for JavaScript numbers.
import { type GoogleRequest, notFound, ok, type Part, type Reply } from "./http.ts";
import { aboveNumbers, type Change, history, list } from "./listing.ts";
import { base64, newMail, type NewMail, type Stored, toMessage } from "./mail.ts";

export type GmailOptions = {
  account: string;
  now: () => number;
  /** Something happened: called with the history id. */
  onChange: (historyId: string) => void;
  /** Why a topic cannot be published to, if it cannot. */
  topicFault: (topic: string) => Reply | null;
};

const weekMs = 7 * 86_400_000;

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
    const mail = newMail(id, { to: account, at: now(), ...parts });
    mails.set(id, mail);
    record("messagesAdded", mail, [...mail.labelIds]);
    return id;
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
    if (what === "GET /history")
      return history({ mails, changes, historyId, oldestKnown, state }, request.query);
    if (what === "GET /messages") return list({ mails }, request.query);
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
    /** Shows the hidden mails from now on. */
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
