// Mistakes in a first request.
import type { TestRequest } from "../support/client.ts";

export type RequestMistake = {
  name: string;
  request: TestRequest;
  status: number;
  code: string;
  error: string;
  details?: readonly { path: string; message: string }[];
};

export const requestMistakes = (token: string): RequestMistake[] => {
  const bearer = `Authorization: Bearer ${token}`;
  const json = "Content-Type: application/json";
  const agent = (body: string, headers: readonly string[] = [bearer, json]): TestRequest => ({
    target: "/hooks/agent",
    headers,
    body,
  });
  const hello = '{ "message": "Hello" }';
  const unauthorized = {
    status: 401,
    code: "unauthorized",
    error: "The token is missing or wrong. Send it as Authorization: Bearer TOKEN.",
  };
  const invalid = {
    status: 400,
    code: "invalid-payload",
    error: "The payload has fields that cannot be accepted.",
  };
  return [
    {
      name: "a hook opened in a browser",
      request: { method: "GET", target: "/hooks/agent", headers: [bearer] },
      status: 405,
      code: "method-not-allowed",
      error:
        "This method is not allowed here: send POST to a hook, GET to a run's result or to /metrics, as the Allow header says.",
    },
    { name: "no token", request: agent(hello, [json]), ...unauthorized },
    { name: "a wrong token", request: agent(hello, ["Authorization: Bearer wrong", json]), ...unauthorized },
    {
      name: "the token in the address",
      request: { target: `/hooks/agent?token=${token}`, headers: [json], body: hello },
      status: 400,
      code: "token-in-query",
      error: "Send the token in the Authorization header, never in the query string.",
    },
    {
      name: "a path without the prefix of the hooks",
      request: { target: "/agent", headers: [bearer, json], body: hello },
      status: 404,
      code: "not-found",
      error:
        "There is nothing at this path. While hooks are enabled, they are under hooks.path, such as /hooks/agent.",
    },
    {
      name: "a hook that no mapping takes",
      request: { target: "/hooks/github", headers: [bearer, json], body: "{}" },
      status: 404,
      code: "unknown-hook",
      error: "No hook has this name: use wake, agent, or the path of a mapping.",
    },
    {
      name: "the content type that curl sends by itself",
      request: agent(hello, [bearer, "Content-Type: application/x-www-form-urlencoded"]),
      status: 415,
      code: "unsupported-media-type",
      error:
        "Send JSON, with the header Content-Type: application/json. A mapped hook also takes forms and XML: application/x-www-form-urlencoded, multipart/form-data, application/xml and text/xml, in UTF-8.",
    },
    {
      name: "a body that is not JSON",
      request: agent("message=Hello"),
      status: 400,
      code: "invalid-json",
      error: "The body is not valid JSON in UTF-8.",
    },
    {
      name: "a misspelt field",
      request: agent('{ "mesage": "Hello" }'),
      ...invalid,
      details: [{ path: "message", message: "is required; a field has nearly this name" }],
    },
    {
      name: "fields of the wrong type: all are listed",
      request: agent('{ "message": 5, "deliver": "yes", "timeoutSeconds": "60" }'),
      ...invalid,
      details: [
        { path: "message", message: "must be a string, not a number" },
        { path: "deliver", message: "must be true or false, not text" },
        { path: "timeoutSeconds", message: "must be a number above 0, at most 604800, not text" },
      ],
    },
    {
      name: "an unknown channel",
      request: agent('{ "message": "Hello", "channel": "telegramm" }'),
      status: 400,
      code: "channel-unknown",
      error: "No channel has this name: use last, or the name of a channel.",
    },
  ];
};
