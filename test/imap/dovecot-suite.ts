// The IMAP mailbox against a real Dovecot: run by `npm run test:imap`, which installs it.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { type AppendResponseObject, ImapFlow } from "imapflow";
import type { MailAccountConfig } from "../../src/config/config.ts";
import { imapContract } from "../../src/mail/imap/mailbox.contract.ts";
import { MailFault } from "../../src/mail/mailbox.ts";
import { type ImapServer, openMailbox, rawMail } from "../fixtures/imap-server.ts";
import { makeFolder } from "../support/folder.ts";
import { createDovecot, type Dovecot } from "./dovecot.ts";

const { ROUSE_IMAP_CERT: cert = "", ROUSE_IMAP_KEY: key = "" } = process.env;
const folder = makeFolder("dovecot");
let dovecot: Dovecot;
let users = 0;

before(async () => {
  dovecot = await createDovecot(folder, { cert, key });
});

after(async () => {
  await dovecot.stop();
  rmSync(folder, { recursive: true, force: true });
});

const account = (user: string): MailAccountConfig => ({
  id: "support",
  host: "127.0.0.1",
  port: dovecot.ports.tls,
  encryption: "tls",
  user,
  login: { password: "right" },
  mailbox: "Watched",
  pollSeconds: 60,
  includeBody: true,
  maxBytes: 20_000,
  catchUp: { maxAgeMs: 604_800_000, maxMessages: 500 },
});

/** Another client, for one piece of work. */
async function asOther<T>(user: string, work: (client: ImapFlow) => Promise<T>): Promise<T> {
  const client = new ImapFlow({
    host: "127.0.0.1",
    port: dovecot.ports.plain,
    secure: false,
    doSTARTTLS: false,
    auth: { user, pass: "right" },
    logger: false,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

async function start(): Promise<ImapServer> {
  users += 1;
  const user = `user${users}`;
  const config = account(user);
  await asOther(user, (client) => client.mailboxCreate(config.mailbox));
  const all = (client: ImapFlow) => client.fetchAll("1:*", { flags: true, source: true, internalDate: true });
  const append = (client: ImapFlow, raw: string | Buffer, flags: readonly string[], date?: Date | string) =>
    client.append(config.mailbox, raw, [...flags], date) satisfies Promise<AppendResponseObject | false>;
  return {
    config,
    append: ({ raw, flags = [], date }) =>
      asOther(user, async (client) => {
        assert.ok(await append(client, raw, flags, date));
      }),
    flags: () =>
      asOther(user, async (client) => {
        await client.mailboxOpen(config.mailbox, { readOnly: true });
        return (await all(client)).map(({ flags }) => [...(flags ?? [])]);
      }),
    removeAll: () =>
      asOther(user, async (client) => {
        await client.mailboxOpen(config.mailbox);
        assert.ok(await client.messageDelete("1:*"));
      }),
    renumber: () =>
      asOther(user, async (client) => {
        await client.mailboxOpen(config.mailbox, { readOnly: true });
        const messages = await all(client);
        await client.mailboxClose();
        await client.mailboxDelete(config.mailbox);
        await client.mailboxCreate(config.mailbox);
        for (const { source = "", internalDate } of messages) {
          assert.ok(await append(client, source, [], internalDate));
        }
      }),
    async restart() {
      await dovecot.stop();
      await dovecot.start();
    },
  };
}

imapContract("Dovecot", start);

test("STARTTLS is used where it is configured", async (t) => {
  const { config, append } = await start();
  const mailbox = openMailbox(t, { ...config, port: dovecot.ports.plain, encryption: "starttls" });
  const cursor = await mailbox.baseline(t.signal);
  await append({ raw: rawMail("one") });
  const changes = await mailbox.changes(cursor, t.signal);
  assert.equal(changes.kind === "changes" && changes.ids.length, 1);
});

test("a certificate for another name is not trusted", async (t) => {
  const { config } = await start();
  const mailbox = openMailbox(t, { ...config, host: "127.0.0.2" });
  await assert.rejects(
    mailbox.baseline(t.signal),
    (fault) => fault instanceof MailFault && fault.kind === "retry",
  );
});

test("\\Recent is left to the owner's own reader", async (t) => {
  const { config, append } = await start();
  const mailbox = openMailbox(t, config);
  const cursor = await mailbox.baseline(t.signal);
  await append({ raw: rawMail("one") });
  const changes = await mailbox.changes(cursor, t.signal);
  for (const id of changes.kind === "changes" ? changes.ids : []) await mailbox.fetch(id, t.signal);
  const status = await asOther(config.user, (client) =>
    client.status(config.mailbox, { recent: true, unseen: true }),
  );
  assert.deepEqual(status && [status.recent, status.unseen], [1, 1]);
});
