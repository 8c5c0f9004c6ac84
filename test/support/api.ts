// Callers of the admin API in tests. Each answer is compared with the OpenAPI document, and searched for secrets.
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { problemType } from "../../src/api/frame/problem.ts";
import { describeApi } from "../../src/api/openapi/document.ts";
import { routes } from "../../src/api/routes/index.ts";

type Fields = Record<string, unknown>;
export type ApiAnswer = { status: number; headers: Headers; text: string; json: Fields };
export type ApiCall = {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Where it differs from the gateway token. */
  token?: string | null;
};

export type ApiCaller = {
  ask(path: string, call?: ApiCall): Promise<ApiAnswer>;
  /** The same, with this status. */
  expect(status: number, path: string, call?: ApiCall): Promise<ApiAnswer>;
  /** `GET /api/v1/runs 200`, for each answer that was compared. */
  seen: ReadonlySet<string>;
};

const document = describeApi(routes) as { paths: Record<string, Record<string, { responses: Fields }>> };

/** Every operation and status of the document that is the API's own. */
export const described = (): string[] =>
  Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/api/"))
    .flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { responses }]) =>
        Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
      ),
    );

const ajv = new Ajv2020({
  strict: false,
  formats: { "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
});
ajv.addSchema({ ...document, $id: "openapi" });

export function createApiCaller(
  url: () => string,
  gatewayToken: string,
  secrets: readonly string[] = [],
): ApiCaller {
  const seen = new Set<string>();

  async function ask(path: string, call: ApiCall = {}): Promise<ApiAnswer> {
    const { method = "GET", body, headers = {}, token = gatewayToken } = call;
    const response = await fetch(`${url()}/api/v1${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    for (const secret of [gatewayToken, ...secrets])
      assert.ok(!text.includes(secret), `${method} ${path} shows the secret ${secret}`);
    const { status } = response;
    const compared = compareAnswer(method, `/api/v1${path}`, {
      status,
      type: response.headers.get("content-type") ?? "",
      text,
    });
    if (compared !== null) seen.add(compared);
    const isJson = /json/.test(response.headers.get("content-type") ?? "") && text !== "";
    return { status, headers: response.headers, text, json: isJson ? (JSON.parse(text) as Fields) : {} };
  }

  return {
    ask,
    seen,
    async expect(status, path, call) {
      const answer = await ask(path, call);
      assert.equal(answer.status, status, `${call?.method ?? "GET"} ${path}: ${answer.text}`);
      return answer;
    },
  };
}

/** What was compared; null for a path or a method that the document does not have, or for HEAD. */
export function compareAnswer(
  method: string,
  target: string,
  { status, type, text }: { status: number; type: string; text: string },
): string | null {
  const plain = target.replace(/\?.*/, "");
  const found = Object.keys(document.paths)
    .filter((each) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(plain))
    .toSorted((a, b) => a.split("{").length - b.split("{").length)[0];
  const operation = found === undefined ? undefined : document.paths[found]![method.toLowerCase()];
  if (found === undefined || operation === undefined) {
    if (status >= 400 && method !== "HEAD")
      validate("#/components/schemas/Problem", text, `${method} ${target}`);
    return null;
  }
  const where = `${method} ${found} ${status}`;
  const response = operation.responses[String(status)] as { content?: Fields } | undefined;
  assert.ok(response, `${where} is not described`);
  const { content } = response;
  if (content === undefined) {
    assert.equal(text, "", where);
    return where;
  }
  const plainType = type.replace(/;.*/, "");
  assert.ok(plainType in content, `${where} has the type ${type}`);
  if (status >= 400 && plain.startsWith("/api/")) assert.equal(plainType, problemType);
  if (plainType.endsWith("json")) {
    const pointer = [
      "paths",
      found,
      method.toLowerCase(),
      "responses",
      String(status),
      "content",
      plainType,
      "schema",
    ];
    validate(
      `#/${pointer.map((each) => encodeURIComponent(each.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`,
      text,
      where,
    );
  }
  return where;
}

function validate(pointer: string, text: string, where: string): void {
  const check = ajv.getSchema(`openapi${pointer}`) ?? ajv.compile({ $ref: `openapi${pointer}` });
  assert.ok(check(JSON.parse(text)), `${where}: ${ajv.errorsText(check.errors)} in ${text}`);
}
