// The types of a transform: `import type { Transform } from "rouse/transform"`.

/** The request, as data only. All of it is frozen, to the last leaf: build something new instead of changing it. */
export type TransformInput = {
  /** The request's JSON. With `forEach`, that array holds only the element of this call. */
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the sender sent
  readonly payload: any;
  /** Names in lower case. Headers that carry secrets are left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The same as `name`: templates call it `path`. */
  readonly path: string;
  /** The hook's name: the path behind `hooks.path`. */
  readonly name: string;
  /** Of a sender's request (`hooks.senders`): the kind of event and the delivery's id, where the sender names them. */
  readonly hook?: {
    readonly event: string | null;
    readonly delivery: string | null;
    readonly sender: string;
  };
};

/** What the request becomes. The keys are those of a mapping, with `message` or `text` as its template made it. */
export type TransformAction = {
  /** `agent` runs an agent with `message`; `wake` leaves `text` for the main session. */
  action: "wake" | "agent";
  message?: string;
  text?: string;
  wakeMode?: "now" | "next-heartbeat";
  name?: string;
  agentId?: string;
  sessionKey?: string;
  deliver?: boolean;
  channel?: string;
  to?: string;
  model?: string;
  thinking?: string;
  timeoutSeconds?: number;
};

/**
 * - nothing (`undefined`): keep the action as it is.
 * - `null`: there is nothing to do; the sender gets 204.
 * - an object: its keys replace those of the action, and are checked as a request's would be.
 *   With `payload`, the mapping's templates are rendered again from it: the way to reshape the data and keep the
 *   words in the configuration.
 *
 * It must be JSON: no functions, no cycles, no BigInt.
 *
 * A `message` or `text` that is returned counts as outside text, as the payload does: it stays inside the safety
 * boundary, and nothing that a transform returns can lift that.
 */
// oxlint-disable-next-line typescript/no-invalid-void-type -- a function without `return` is a transform too
export type TransformResult = undefined | void | null | (Partial<TransformAction> & { payload?: unknown });

/**
 * Called once for each action: once for a request, or once for each element of the mapping's `forEach`.
 * It may be async. An error, or taking longer than the time limit, fails the request with a 500.
 */
export type Transform = (
  input: TransformInput,
  action: Readonly<TransformAction>,
) => TransformResult | Promise<TransformResult>;
