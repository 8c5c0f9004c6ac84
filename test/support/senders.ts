// Signed requests, as senders send them, for tests of the gateway.
import { createHmac } from "node:crypto";
import type { RawResponse } from "../fixtures/raw-client.ts";
import type { TestGateway } from "./gateway.ts";

export const githubSecret = "a secret that GitHub signs with";
export const stripeSecret = "whsec_c29tZSBzZWNyZXQgb2YgdGVzdHM";
export const slackSecret = "8f742231b10e8888abcd990c0ffee85a";

const hex = (secret: string, text: string | Buffer): string =>
  createHmac("sha256", secret).update(text).digest("hex");

export type GithubRequest = {
  body?: string | Buffer;
  id?: string;
  event?: string;
  secret?: string;
  signature?: string;
  headers?: readonly string[];
};

/** The headers of a delivery. Without an id or event there is no such header. */
export function githubHeaders(
  body: string | Buffer,
  { id, event, secret = githubSecret, signature }: GithubRequest,
) {
  return [
    "Content-Type: application/json",
    `X-Hub-Signature-256: ${signature ?? `sha256=${hex(secret, body)}`}`,
    ...(id === undefined ? [] : [`X-GitHub-Delivery: ${id}`]),
    ...(event === undefined ? [] : [`X-GitHub-Event: ${event}`]),
  ];
}

export function sendGithub(
  gateway: Pick<TestGateway, "send">,
  request: GithubRequest,
  name = "github",
): Promise<RawResponse> {
  const { body = "{}", headers = [] } = request;
  const all = [...githubHeaders(body, request), ...headers];
  return gateway.send({ target: `/hooks/${name}`, headers: all, body });
}

export const slackHeaders = (body: string, at: number, type = "application/json"): string[] => [
  `Content-Type: ${type}`,
  `X-Slack-Request-Timestamp: ${at}`,
  `X-Slack-Signature: v0=${hex(slackSecret, `v0:${at}:${body}`)}`,
];

export const stripeHeaders = (body: string, at: number): string[] => [
  "Content-Type: application/json",
  `Stripe-Signature: t=${at},v1=${hex(stripeSecret, `${at}.${body}`)}`,
];

export const seconds = (): number => Math.floor(Date.now() / 1000);
