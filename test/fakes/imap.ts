// A small IMAP server in this process: one account, one mailbox, the commands a careful reader needs, and ways to fail.
// It marks a message as seen when it is fetched without PEEK in a mailbox that was opened for writing, as real ones do.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { sectionOf, structureOf } from "./imap-message.ts";

export type FakeMessage = {
  uid: number;
  flags: string[];
  date: Date;
  raw: Buffer;
  /** Gmail's extensions. */
  gmail?: { id: string; thread: string; labels: readonly string[] };
};

export type FakeImap = {
  port: number;
  /** Every command that came, without its tag. */
  commands: string[];
  messages: FakeMessage[];
  uidValidity: number;
  uidNext: number;
  capabilities: string;
  /** In place of OK to a LOGIN: the whole response after the tag, or `drop` to end the connection. */
  loginResponse: string | null;
  /** Commands by their first word that end the connection, or get no response. */
  dropOn: Set<string>;
  silentOn: Set<string>;
  add(message: Pick<FakeMessage, "raw"> & Partial<FakeMessage>): void;
  removeAll(): void;
  dropAll(): void;
  openConnections(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export const fakePassword = "right";
export const fakeMailbox = "Watched";

/** As an account of the configuration. */
export const fakeAccount = ({ port }: Pick<FakeImap, "port">) => ({
  id: "home",
  host: "127.0.0.1",
  port,
  secure: false,
  allowInsecure: true,
  user: "me",
  password: fakePassword,
  mailbox: fakeMailbox,
  pollSeconds: 5,
});

export const fakeMail = (subject: string, body: string): Buffer =>
  Buffer.from(
    [
      "From: Ada <ada@example.org>",
      "To: me@example.org",
      `Subject: ${subject}`,
      `Message-ID: <${subject.replaceAll(" ", "-")}@example.org>`,
      "Content-Type: text/plain; charset=utf-8",
      "",
      body,
      "",
    ].join("\r\n"),
  );

type Session = { socket: Socket; known: number | null; readOnly: boolean; idleTag: string | null };

export async function createFakeImap(): Promise<FakeImap> {
  const sessions = new Set<Session>();
  let server: Server | null = null;
  const fake: FakeImap = {
    port: 0,
    commands: [],
    messages: [],
    uidValidity: 1000,
    uidNext: 1,
    capabilities: "IMAP4rev1 IDLE",
    loginResponse: null,
    dropOn: new Set(),
    silentOn: new Set(),
    add(message) {
      fake.messages.push({ flags: [], date: new Date(), uid: fake.uidNext, ...message });
      fake.uidNext += 1;
      tellIdle();
    },
    removeAll() {
      fake.messages = [];
      tellIdle();
    },
    dropAll: () => sessions.forEach(({ socket }) => socket.destroy()),
    openConnections: () => sessions.size,
    async start() {
      server = createServer((socket) => serve(fake, sessions, socket)).listen(fake.port, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      if (typeof address === "object" && address !== null) fake.port = address.port;
    },
    async stop() {
      const ended = server && once(server, "close");
      server?.close();
      fake.dropAll();
      await ended;
    },
  };
  const tellIdle = (): void => {
    for (const session of sessions) if (session.idleTag !== null) catchUp(fake, session);
  };
  await fake.start();
  return fake;
}

const send = ({ socket }: Session, ...parts: (string | Buffer)[]): void => {
  for (const part of parts) socket.write(part);
  socket.write("\r\n");
};

/** Changes in the mailbox that this client was not notified of yet. */
function catchUp({ messages }: FakeImap, session: Session): void {
  if (session.known === null) return;
  for (let gone = session.known - messages.length; gone > 0; gone -= 1) send(session, "* 1 EXPUNGE");
  if (messages.length > Math.min(session.known, messages.length))
    send(session, `* ${messages.length} EXISTS`);
  session.known = messages.length;
}

function serve(fake: FakeImap, sessions: Set<Session>, socket: Socket): void {
  const session: Session = { socket, known: null, readOnly: true, idleTag: null };
  sessions.add(session);
  socket.on("close", () => sessions.delete(session));
  socket.on("error", () => {});
  send(session, `* OK [CAPABILITY ${fake.capabilities}] ready`);
  let rest = "";
  socket.on("data", (data) => {
    const lines = (rest + data.toString("latin1")).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(fake, session, line);
  });
}

function take(fake: FakeImap, session: Session, line: string): void {
  if (line.toUpperCase() === "DONE" && session.idleTag !== null) {
    const tag = session.idleTag;
    session.idleTag = null;
    send(session, `${tag} OK done`);
    return;
  }
  const [, tag = "", command = ""] = /^(\S+) (.*)$/.exec(line) ?? [];
  fake.commands.push(command);
  const name = /^(?:UID )?\S+/i.exec(command)?.[0]?.toUpperCase() ?? "";
  if (fake.dropOn.has(name)) session.socket.destroy();
  else if (!fake.silentOn.has(name)) respond(fake, session, tag, name, command.slice(name.length + 1));
}

function respond(fake: FakeImap, session: Session, tag: string, name: string, rest: string): void {
  const isUidCommand = name.startsWith("UID ");
  switch (name) {
    case "CAPABILITY":
      send(session, `* CAPABILITY ${fake.capabilities}`);
      break;
    case "LOGIN":
      return login(fake, session, tag, rest);
    case "LIST":
    case "LSUB":
      if (rest.includes(fakeMailbox)) send(session, `* ${name} () "/" ${fakeMailbox}`);
      break;
    case "EXAMINE":
    case "SELECT":
      return openMailbox(fake, session, tag, name, rest);
    case "UID FETCH":
      fetch(fake, session, rest);
      break;
    case "UID SEARCH":
      send(
        session,
        `* SEARCH ${found(fake, rest)
          .map(({ uid }) => uid)
          .join(" ")}`.trim(),
      );
      break;
    case "IDLE":
      session.idleTag = tag;
      send(session, "+ idling");
      return catchUp(fake, session);
    case "NOOP":
    case "NAMESPACE":
      break;
    case "LOGOUT":
      send(session, "* BYE");
      break;
    default:
      send(session, `${tag} BAD unknown command`);
      return;
  }
  if (!isUidCommand) catchUp(fake, session);
  send(session, `${tag} OK ${name} done`);
}

function login(fake: FakeImap, session: Session, tag: string, rest: string): void {
  if (fake.loginResponse === "drop") session.socket.destroy();
  else if (fake.loginResponse !== null) send(session, `${tag} ${fake.loginResponse}`);
  else if (rest.endsWith(`"${fakePassword}"`)) send(session, `${tag} OK logged in`);
  else send(session, `${tag} NO [AUTHENTICATIONFAILED] Authentication failed for me@mail.test.`);
}

function openMailbox(fake: FakeImap, session: Session, tag: string, name: string, rest: string): void {
  if (rest.replaceAll('"', "") !== fakeMailbox) {
    session.known = null;
    send(session, `${tag} NO [NONEXISTENT] no such mailbox`);
    return;
  }
  session.readOnly = name === "EXAMINE";
  session.known = fake.messages.length;
  send(session, "* FLAGS (\\Seen \\Draft \\Deleted)");
  send(session, `* ${fake.messages.length} EXISTS`);
  send(session, `* OK [UIDVALIDITY ${fake.uidValidity}] valid`);
  if (fake.uidNext > 0) send(session, `* OK [UIDNEXT ${fake.uidNext}] next`);
  send(session, `${tag} OK [${session.readOnly ? "READ-ONLY" : "READ-WRITE"}] opened`);
}

/** Of a set such as `1,5:*`; a range may run backwards. */
function inSet(set: string, messages: readonly FakeMessage[]): FakeMessage[] {
  const last = messages.at(-1)?.uid ?? 0;
  const number = (written = ""): number => (written === "*" ? last : Number(written));
  const ranges = set.split(",").map((range) => {
    const [from, to = from] = range.split(":").map(number);
    return [Math.min(from ?? 0, to ?? 0), Math.max(from ?? 0, to ?? 0)] as const;
  });
  return messages.filter(({ uid }) => ranges.some(([least, most]) => uid >= least && uid <= most));
}

const items = /BODY(\.PEEK)?\[([^\]]*)\](?:<(\d+)\.(\d+)>)?|[A-Z0-9.-]+/gi;

function fetch(fake: FakeImap, session: Session, rest: string): void {
  const [, set = "", wanted = ""] = /^(\S+) (.*)$/.exec(rest) ?? [];
  for (const message of inSet(set, fake.messages)) {
    const parts: (string | Buffer)[] = [];
    for (const item of wanted.matchAll(items)) {
      parts.push(parts.length > 0 ? " " : "", ...itemOf(message, item, session));
    }
    send(session, `* ${fake.messages.indexOf(message) + 1} FETCH (`, ...parts, ")");
  }
}

function itemOf(message: FakeMessage, item: RegExpExecArray, session: Session): (string | Buffer)[] {
  const [whole, peek, section, start = "0", length] = item;
  if (section === undefined) return [plainItem(message, whole.toUpperCase())];
  if (!peek && !session.readOnly) message.flags.push("\\Seen");
  const bytes = sectionOf(message.raw, section);
  const name = `BODY[${section}]${length === undefined ? "" : `<${start}>`}`;
  if (bytes === null) return [`${name} NIL`];
  const end = length === undefined ? bytes.length : Number(start) + Number(length);
  const cut = bytes.subarray(Number(start), end);
  return [`${name} {${cut.length}}\r\n`, cut];
}

function plainItem({ uid, flags, date, raw, gmail }: FakeMessage, name: string): string {
  const values: Record<string, string> = {
    UID: String(uid),
    FLAGS: `(${flags.join(" ")})`,
    INTERNALDATE: `"${imapDate(date)}"`,
    "RFC822.SIZE": String(raw.length),
    BODYSTRUCTURE: structureOf(raw),
    "X-GM-MSGID": gmail?.id ?? "NIL",
    "X-GM-THRID": gmail?.thread ?? "NIL",
    "X-GM-LABELS": `(${(gmail?.labels ?? []).map((label) => `"${label.replaceAll("\\", "\\\\")}"`).join(" ")})`,
  };
  return `${name} ${values[name] ?? "NIL"}`;
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

function imapDate(date: Date): string {
  const day = String(date.getUTCDate()).padStart(2, " ");
  return `${day}-${months[date.getUTCMonth()]}-${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)} +0000`;
}

function found({ messages }: FakeImap, rest: string): FakeMessage[] {
  const since = /\bSINCE "?([\w-]+)"?/i.exec(rest)?.[1];
  const before = /\bBEFORE "?([\w-]+)"?/i.exec(rest)?.[1];
  const gmail = /\bX-GM-MSGID "?(\d+)"?/i.exec(rest)?.[1];
  const day = (date: Date): number => Math.floor(date.getTime() / 86_400_000);
  return messages.filter(
    (message) =>
      (since === undefined || day(message.date) >= day(new Date(`${since} UTC`))) &&
      (before === undefined || day(message.date) < day(new Date(`${before} UTC`))) &&
      (gmail === undefined || message.gmail?.id === gmail),
  );
}
