// A reply as a comment on the issue, pull request or merge request that the event came from.
import type { CallbackConfig } from "../../config/config.ts";
import { cutWithMark } from "../../core/text.ts";
import type { SendOutcome } from "../../sdk/channel.ts";
import { again, limited, outcomeOf, quoted, rejected } from "../outcome.ts";
import { postJson, retryAfterMs, type Responded } from "../request.ts";
import type { Sending } from "./sending.ts";

type Api = Pick<CallbackConfig, "url" | "token">;

const longest = { github: 65_536, gitlab: 1_000_000 };

/** `to` is `owner/name#12`. */
export async function sendGithubComment(
  { to, text }: { to: string; text: string },
  { url, token }: Api,
  { fetch, signal }: Sending,
): Promise<SendOutcome> {
  const [, name, number] = /^([^#]+)#(\d+)$/.exec(to) ?? [];
  if (name === undefined || number === undefined) return rejected(notAPlace);
  const response = await postJson(`${url}/repos/${name}/issues/${number}/comments`, {
    fetch,
    signal,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "rouse",
      "x-github-api-version": "2022-11-28",
    },
    body: { body: cutWithMark(text, longest.github) },
  });
  return outcomeOf(response, (responded) => readGithub(responded, token ?? ""));
}

/** `to` is `group/name#12` for an issue and `group/name!12` for a merge request. */
export async function sendGitlabComment(
  { to, text }: { to: string; text: string },
  { url, token }: Api,
  { fetch, signal }: Sending,
): Promise<SendOutcome> {
  const [, name, mark, number] = /^([^#!]+)([#!])(\d+)$/.exec(to) ?? [];
  if (name === undefined || number === undefined) return rejected(notAPlace);
  const kind = mark === "!" ? "merge_requests" : "issues";
  const response = await postJson(`${url}/projects/${encodeURIComponent(name)}/${kind}/${number}/notes`, {
    fetch,
    signal,
    headers: { "private-token": token ?? "", "user-agent": "rouse" },
    body: { body: cutWithMark(text, longest.gitlab) },
  });
  return outcomeOf(response, (responded) => readGitlab(responded, token ?? ""));
}

const notAPlace = "it is no issue and no request";

function readGithub({ status, headers, json }: Responded, token: string): SendOutcome | null {
  if (status === 201) return { kind: "sent" };
  if (status === 401) return rejected("GitHub does not take the token: it is wrong or has expired");
  // Its two limits answer 403 as well as 429.
  const askedMs = retryAfterMs(headers) ?? resetInMs(headers);
  if ((status === 403 || status === 429) && askedMs !== null) return limited(askedMs);
  if (status === 403)
    return rejected(`GitHub refuses it: ${messageOf(json, token, "the token may not comment there")}`);
  if (status === 404 || status === 410)
    return rejected("there is no such issue on GitHub, or the token may not see it");
  if (status === 422) return rejected(`GitHub refuses it: ${messageOf(json, token, "it is not valid")}`);
  return null;
}

function readGitlab({ status, headers, json }: Responded, token: string): SendOutcome | null {
  if (status === 201) return { kind: "sent" };
  // A note that holds only quick actions, which are carried out.
  if (status === 202) return { kind: "sent" };
  if (status === 401) return rejected("GitLab does not take the token: it is wrong or has expired");
  if (status === 429) return limited(retryAfterMs(headers));
  if (status === 403 || status === 404)
    return rejected("there is no such issue or request on GitLab, or the token may not comment there");
  if (status === 400) return rejected(`GitLab refuses it: ${messageOf(json, token, "it is not valid")}`);
  if (status === 409) return again("GitLab answered 409");
  return null;
}

function messageOf(json: unknown, token: string, otherwise: string): string {
  const message = (json as { message?: unknown } | null | undefined)?.message;
  return typeof message === "string" && message !== "" ? quoted(message, token) : otherwise;
}

/** GitHub's first limit names the second at which it ends. */
function resetInMs(headers: Headers): number | null {
  if (headers.get("x-ratelimit-remaining") !== "0") return null;
  const reset = headers.get("x-ratelimit-reset")?.trim() ?? "";
  const date = Date.parse(headers.get("date") ?? "");
  return /^\d{1,12}$/.test(reset) && Number.isFinite(date) ? Math.max(0, Number(reset) * 1000 - date) : null;
}
