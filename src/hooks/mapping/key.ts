// A mapping's own idempotency key: what makes two requests the same, where their caller can send no Idempotency-Key.
import { hash } from "node:crypto";
import { type Idempotency, isGoodKey } from "../../core/request.ts";
import { createBudget, type BudgetLimits } from "../template/budget.ts";
import { scopeOf } from "../template/scope.ts";
import { createSeen } from "../template/seen.ts";
import { TemplateFault } from "../template/fault.ts";
import type { Mapping } from "./compile.ts";
import type { Matcher } from "./match.ts";
import type { MappedRequest } from "./request.ts";

/** It is rendered on the thread that serves all requests. */
const limits: BudgetLimits = { characters: 200_000, ms: 20 };

/** `written`: the key. `reason`: why it could not be rendered. */
export type MappingKey = { written: string; idempotency: Idempotency } | { reason: string };

export type Keys = {
  /** Whether some mapping has a key. */
  readonly haveKeys: boolean;
  /** The key that its mapping gives a request; null where there is none. */
  keyOf(request: MappedRequest): MappingKey | null;
};

const noKeys: Keys = { haveKeys: false, keyOf: () => null };

export function createKeys(mappings: readonly Mapping[], matcher: Matcher<Mapping>): Keys {
  if (mappings.every(({ templates }) => templates.idempotencyKey === null)) return noKeys;
  return {
    haveKeys: true,
    keyOf(request) {
      const found = matcher.find(request);
      if (found.kind !== "found") return null;
      const { mapping } = found;
      try {
        const written = renderKey(mapping, request);
        return written === null ? null : { written, idempotency: idempotencyOf(mapping, written) };
      } catch (fault) {
        if (fault instanceof TemplateFault) return { reason: `${mapping.id}: ${fault.message}` };
        throw fault;
      }
    },
  };
}

/**
 * Null: there is none, it came out blank, or a reference in it was missing. What is left would be the same for every
 * such request, and all but the first would be lost. Throws a TemplateFault.
 */
function renderKey({ templates }: Pick<Mapping, "templates">, request: MappedRequest): string | null {
  const template = templates.idempotencyKey;
  if (template === null) return null;
  const seen = createSeen();
  const scope = scopeOf({ ...request, path: request.name });
  const rendered = template.renderText(scope, createBudget(limits), seen).trim();
  if (rendered === "" || [...seen.missing.values()].includes(true)) return null;
  return isGoodKey(rendered) ? rendered : hash("sha256", rendered, "hex");
}

const longestId = 200;

/** No header can have a key with a blank. The body does not count: callers change it when they try again. */
function idempotencyOf({ id }: Pick<Mapping, "id">, key: string): Idempotency {
  const owner = id.length <= longestId ? id : hash("sha256", id, "hex");
  return { key: `mapping ${owner} ${key}`, fingerprint: "mapping" };
}
