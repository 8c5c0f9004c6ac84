// Google, as far as Rouse sees it: tokens, keys, one mailbox with its history, Pub/Sub. It
// keeps what is written to it, and has faults on demand. `google.test.ts` drives it with Google's own clients.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAccounts, gmailScope, pubsubScope } from "./google/accounts.ts";
import { createGmail } from "./google/gmail.ts";
import {
  type GoogleRequest,
  createFaults,
  faultReplies,
  type Json,
  notFound,
  ok,
  readRequest,
  type Reply,
  send,
} from "./google/http.ts";
import { createPubsub } from "./google/pubsub.ts";

export { faultReplies, refused } from "./google/http.ts";

export type FakeGoogle = Awaited<ReturnType<typeof startGoogle>>;

export type GoogleOptions = {
  account?: string;
  /** Epoch milliseconds. */
  now?: () => number;
};

export async function startGoogle({ account = "me@mail.test", now = Date.now }: GoogleOptions = {}) {
  let url = "";
  const faults = createFaults();
  const accounts = createAccounts({ account, now, baseUrl: () => url });
  const pubsub = createPubsub({ sendPush });
  const gmail = createGmail({
    account,
    now,
    topicFault: pubsub.topicFault,
    onChange: (historyId) => pubsub.publish(gmail.state.watchedTopic, { emailAddress: account, historyId }),
  });
  /** Every request so far, as `GET /path`. */
  const requests: string[] = [];
  const calls: Pick<GoogleRequest, "method" | "path" | "json">[] = [];

  async function sendPush(endpoint: string, message: Json, settings: Json): Promise<number> {
    const { oidcToken } = (settings["pushConfig"] ?? {}) as { oidcToken?: Json };
    const claims = { aud: oidcToken?.["audience"] ?? endpoint, email: oidcToken?.["serviceAccountEmail"] };
    try {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${accounts.pushToken(claims)}`,
        },
        body: JSON.stringify({ message, subscription: settings["name"] }),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }

  function refusal(received: GoogleRequest): Reply | null {
    if (isOpen(received.path)) return null;
    const owner = accounts.owner(received);
    if (owner === null) return faultReplies.unauthorized;
    const isGmail = received.path.startsWith("/gmail/");
    if (!accounts.covers(received, isGmail ? gmailScope : pubsubScope)) return faultReplies.scopes;
    // The mailbox of another account is empty.
    return isGmail && owner !== account ? ok({ emailAddress: owner, historyId: "1", labels: [] }) : null;
  }

  const isOpen = (path: string): boolean => path === "/token" || path.startsWith("/oauth2/");
  const server = createServer((request, response) => {
    void (async () => {
      const received = await readRequest(request);
      requests.push(`${received.method} ${received.path}`);
      calls.push({ method: received.method, path: received.path, json: received.json });
      const fault = faults.find(received);
      if (fault && "reset" in fault) return void request.socket.destroy();
      if (fault) return send(response, fault.reply);
      const no = refusal(received);
      if (no) return send(response, no);
      const parts = [accounts.part, gmail.part, pubsub.part];
      for (const part of parts) {
        const reply = await part(received);
        if (reply) return send(response, reply);
      }
      send(response, notFound());
    })().catch((cause: unknown) => response.destroy(cause as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    account,
    endpoints: { oauth: url, gmail: url, pubsub: url, certs: url },
    accounts,
    gmail,
    pubsub,
    faults,
    requests,
    /** The same with their bodies, those of token requests left out. */
    calls,
    count: (what: string) => requests.filter((each) => each.includes(what)).length,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
