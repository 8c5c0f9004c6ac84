import assert from "node:assert/strict";
import test from "node:test";
import { GoogleRefusal } from "./ask.ts";
import { explain } from "./refusals.ts";

const gmail = "https://gmail.googleapis.com/gmail/v1/users/me/profile";
const pubsub = "https://pubsub.googleapis.com/v1/projects/p/topics/t";

const words = (
  url: string,
  status: number,
  reasons: string[],
  message = "",
  link: string | null = null,
): string =>
  explain(new GoogleRefusal(url, message, { status, reasons, link }), { what: "It", project: "my-project" });

test("an API that is off comes with the link to turn it on", () => {
  const link = "https://console.developers.google.com/apis/api/gmail.googleapis.com/overview?project=1";
  assert.match(
    words(gmail, 403, ["PERMISSION_DENIED", "SERVICE_DISABLED"], "", link),
    new RegExp(link.replace(/[?.]/g, "\\$&")),
  );
  assert.match(
    words(gmail, 403, ["accessNotConfigured"]),
    /library\/gmail\.googleapis\.com\?project=my-project/,
  );
  assert.match(
    words(pubsub, 403, ["SERVICE_DISABLED"]),
    /gcloud services enable pubsub\.googleapis\.com --project my-project/,
  );
});

test("every other refusal says what to do", () => {
  const cases: [string, RegExp][] = [
    [
      words(
        pubsub,
        400,
        ["FAILED_PRECONDITION"],
        "One or more users named in the policy do not belong to a permitted customer.",
      ),
      /Domain restricted sharing.*exception/,
    ],
    [words(pubsub, 403, ["PERMISSION_DENIED"]), /--print-gcloud.*--provisioned/],
    [words(pubsub, 403, ["ACCESS_TOKEN_SCOPE_INSUFFICIENT"]), /--new-login/],
    [words(pubsub, 404, ["NOT_FOUND"]), /is my-project the project's id/],
    [words(gmail, 429, []), /quota/],
    [words(gmail, 403, ["userRateLimitExceeded"]), /quota/],
    [words(gmail, 401, ["UNAUTHENTICATED"]), /--new-login/],
    [words(gmail, 503, []), /status 503.*later/],
    [words(gmail, 0, [], "gmail.googleapis.com could not be reached (ENOTFOUND)"), /ENOTFOUND.*network/],
    [words(gmail, 400, ["invalid_grant"]), /seven days/],
    [words(gmail, 401, ["invalid_client"]), /--client FILE/],
    [words(gmail, 400, ["redirect_uri_mismatch"]), /Desktop app/],
    [words(gmail, 401, ["unauthorized_client"]), /Domain-wide delegation/],
    [words(gmail, 418, [], "I am a teapot"), /status 418.*teapot/],
  ];
  for (const [text, expected] of cases) assert.match(text, expected);
});
