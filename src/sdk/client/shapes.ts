// Made by `npm run generate` from the routes of the API. Do not edit.

/** No fields at all. */
export type Nothing = Readonly<Record<string, never>>;

export type WakePayload = { text: string; mode?: "now" | "next-heartbeat"; };

export type WakeAccepted = { ok: true; mode: "now" | "next-heartbeat"; eventId: string; };

export type AgentPayload = { message: string; name?: string; agentId?: string; sessionKey?: string; wakeMode?: "now" | "next-heartbeat"; deliver?: boolean; channel?: string; to?: string; model?: string; thinking?: string; timeoutSeconds?: number; waitForCompletion?: boolean; callback?: string; };

export type RunAccepted = { ok: true; runId: string; status?: "queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled"; };

export type RunResult = { ok: true; runId: string; status: "queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled"; reply?: string | null; error?: string | null; attempts: number; createdAt: string; startedAt: string | null; endedAt: string | null; usage: { inputTokens: number; outputTokens: number; cost: number; } | null; };

export type MappedAccepted = { ok: true; mode?: "now" | "next-heartbeat"; eventId?: string; eventIds?: readonly (string)[]; runId?: string; runIds?: readonly (string)[]; };

export type HookError = { ok: false; code: string; error: string; details?: readonly ({ path: string; message: string; })[]; };

/** How the gateway is doing: counts, never a scan. */
export type Status = { version: string; node: string; startedAt: string; uptimeSeconds: number; waiting: number; running: number; parked: number; oldestWaitingSeconds: number | null; events: number; deliveries: readonly ({ channel: string; waiting: number; oldestSeconds: number; })[]; budget: { runsPerDay: number; tokensPerDay: number; moneyPerDay: number | null; }; spending: readonly ({ hook: string; day: string; runs: number; inputTokens: number; outputTokens: number; cost: number; })[]; recent: { stepSeconds: number; completeSince: string; parts: readonly ({ from: string; counts: Readonly<Record<string, number>>; })[]; }; };

/** What replaying many requests leads to. */
export type ReplayPlan = { since: string; until: string; count: number; replayedBefore: number; cannot: Readonly<Record<string, number>>; hooks: Readonly<Record<string, number>>; outcomes: Readonly<Record<string, number>>; agents: Readonly<Record<string, number>>; runs: number; undecided: number; pastAgents: readonly (string)[]; estimate: { inputTokens: number; outputTokens: number; cost: number; basedOnRuns: number; }; perMinute: number; seconds: number; batch: string | null; };

/** What came of a replay. */
export type Replayed = { id: string; replayOf: string; outcome: "accepted" | "repeated" | "skipped" | "refused" | "failed" | "full"; reason: string | null; runIds: readonly (string)[]; eventIds: readonly (string)[]; };

/** What a replay would do. `not-run`: its mapping has a transform. */
export type DecidedReplay = { outcome: "accepted" | "skipped" | "refused" | "failed" | "not-run"; reason: string | null; mapping: string | null; actions: readonly ({ action: "agent" | "wake"; })[]; };

/** Many requests that are being replayed. */
export type Replaying = { batch: string; state: "running" | "done" | "stopped" | "full" | "failed"; count: number; done: number; outcomes: Readonly<Record<string, number>>; startedAt: string; };

/** What came in, how it was decided, and what it led to. */
export type Request = { id: string; hook: string; origin: "http" | "mail" | "schedule" | "replay"; outcome: "accepted" | "repeated" | "skipped" | "refused" | "failed" | "full"; reason: string | null; credential: string | null; event: string | null; delivery: string | null; address: string | null; bytes: number | null; createdAt: string; runIds: readonly (string)[]; eventIds: readonly (string)[]; replayOf: string | null; mapping: string | null; decision: { mappings: readonly ({ id: string; takes: boolean; reason: string | null; filters: readonly ({ field: string; wanted: string; met: string; holds: boolean; })[]; })[]; policy: { allowed: boolean; reason: string | null; } | null; } | null; };

/** A request with its visible headers; its body is read apart. */
export type RequestDetails = { id: string; hook: string; origin: "http" | "mail" | "schedule" | "replay"; outcome: "accepted" | "repeated" | "skipped" | "refused" | "failed" | "full"; reason: string | null; credential: string | null; event: string | null; delivery: string | null; address: string | null; bytes: number | null; createdAt: string; runIds: readonly (string)[]; eventIds: readonly (string)[]; replayOf: string | null; mapping: string | null; decision: { mappings: readonly ({ id: string; takes: boolean; reason: string | null; filters: readonly ({ field: string; wanted: string; met: string; holds: boolean; })[]; })[]; policy: { allowed: boolean; reason: string | null; } | null; } | null; method: string | null; target: string | null; headers: Readonly<Record<string, string>>; hasBody: boolean; };

/** Everything that became of one request, in order. */
export type Timeline = { requestId: string | null; hook: string; status: string; beganAt: string; endedAt: string | null; tookMs: number; runs: readonly ({ id: string; status: "queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled"; agentId: string; attempts: number; createdAt: string; endedAt: string | null; })[]; steps: readonly (TimelineStep)[]; spans: readonly ({ begin: string; end: string; durationMs: number; })[]; };

/** What happened, when, and how long it took. */
export type TimelineStep = { kind: string; runId: string | null; state: "done" | "failed" | "now" | "to-come" | "none" | "waited"; at: string | null; sinceMs: number | null; durationMs: number | null; title: string; text: string; facts: Readonly<Record<string, unknown>>; details: readonly ({ kind: string; })[]; };

/** A task for an agent, stored from acceptance to its end. */
export type Run = { id: string; kind: "hook" | "heartbeat"; hook: string; name: string | null; agentId: string; requestedAgentId: string | null; sessionKey: string; credential: string | null; requestId: string | null; status: "queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled"; attempts: number; createdAt: string; startedAt: string | null; endedAt: string | null; reply: string | null; error: string | null; };

/** A run with everything that is known of it. */
export type RunDetails = { id: string; kind: "hook" | "heartbeat"; hook: string; name: string | null; agentId: string; requestedAgentId: string | null; sessionKey: string; credential: string | null; requestId: string | null; status: "queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled"; attempts: number; createdAt: string; startedAt: string | null; endedAt: string | null; reply: string | null; error: string | null; request: { message: string; }; lastLine: string | null; nextTryAt: string | null; retriedAs: string | null; signals: unknown; report: unknown; transcript: readonly (Turn)[]; deliveries: readonly (Delivery)[]; attemptRecords: readonly (Attempt)[]; };

/** One entry of a transcript. */
export type Turn = { runId: string | null; role: "user" | "assistant" | "summary"; text: string; createdAt: string; compacted: boolean; };

/** A reply, or a failure notice in its place, on its way to a person. */
export type Delivery = { id: string; runId: string; channel: string; to: string | null; status: "waiting" | "sent" | "failed" | "suppressed" | "unknown"; attempts: number; sentMessages: number; createdAt: string; sentAt: string | null; error: string | null; };

/** One try of a run that has ended. */
export type Attempt = { runId: string; number: number; node: string; outcome: string; reason: string | null; startedAt: string; endedAt: string; nextTryAt: string | null; toolCalls: readonly ({ name: string; at: string; tookMs: number | null; ok: boolean | null; input: string | null; output: string | null; })[]; };

/** A note for the main session. */
export type Event = { id: string; sessionKey: string; text: string; hook: string | null; requestId: string | null; createdAt: string; shownAt: string | null; };

/** A delivery with its text. */
export type DeliveryDetails = { id: string; runId: string; channel: string; to: string | null; status: "waiting" | "sent" | "failed" | "suppressed" | "unknown"; attempts: number; sentMessages: number; createdAt: string; sentAt: string | null; error: string | null; text: string; fallback: { channel: string; to: string | null; } | null; };

/** What was said under one session key of one agent. */
export type Session = { agentId: string; sessionKey: string; turns: number; lastAt: string; foreignSession: string | null; };

/** A name under `hooks.path` that a request can be sent to. */
export type Hook = { name: string; kind: "built-in" | "mapped" | "sender" | "mail"; senderKind: string | null; mappings: readonly (string)[]; pausedAt: string | null; used: { runs: number; inputTokens: number; outputTokens: number; cost: number; } | null; };

/** What a request would do, as `rouse explain --json` prints it. */
export type Explanation = { hook: string; outcome: "accepted" | "skipped" | "failed" | "refused"; reason: string | null; idempotencyKey: string | null; mappings: readonly ({ id: string; takes: boolean; reason: string | null; })[]; answer: { status: number; }; actions: readonly ({ action: string; })[]; empty: readonly ({ reference: string; })[]; output: string; };

/** Who can answer. */
export type Agent = { id: string; kind: string; default: boolean; model: string | null; thinking: string | null; tools: readonly (string)[]; workspace: string; };

/** Where replies can go. */
export type Channel = { channel: string; kind: "built in" | "plugin"; to: string | null; waiting: number; oldestSeconds: number | null; };

/** The config file of this node. */
export type Config = { file: string; text: string; differs: boolean; restart: readonly (string)[]; };

/** What an operator did. */
export type AuditEntry = { id: string; actor: string; verb: string; subject: string; outcome: "done" | "refused" | "failed"; createdAt: string; };

/** Every error: the fields that the hooks' errors have, and those of RFC 9457. */
export type Problem = { ok: false; code: string; error: string; type: string; title: string; status: number; detail: string; details?: readonly ({ path: string; message: string; })[]; };

/** Every call of the API: what it takes and what it answers. */
export type Operations = {
  /** Counts of what is stored and has not ended, what was spent today, and what ended in the last hour. */
  getStatus: {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: Status;
  };
  /** Wakes the main session now. */
  requestHeartbeat: {
    path: Nothing;
    query: Nothing;
    body: Nothing;
    answer: { agentId: string; requested: true; };
  };
  /** Replays what was selected, oldest first, at a rate, in the background of this gateway. First ask with `dryRun=true` for the plan. */
  replayRequests: {
    path: Nothing;
    query: { dryRun?: boolean; };
    body: { hook?: readonly (string)[]; since: string; until?: string; outcome?: readonly ("accepted" | "repeated" | "skipped" | "refused" | "failed" | "full")[]; status?: readonly ("queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled")[]; limit?: number; again?: boolean; perMinute?: number; batch?: string; };
    answer: ReplayPlan;
  };
  /** Sends a kept request again through the configuration in use, with new ids. A dry run only decides it. */
  replayRequest: {
    path: { id: string; };
    query: { dryRun?: boolean; };
    body: { payload?: unknown; };
    answer: Replayed | DecidedReplay;
  };
  /** The replays of many requests that this gateway has started since its own start, newest first. */
  listReplays: {
    path: Nothing;
    query: { limit?: number; cursor?: string; };
    body: undefined;
    answer: { items: readonly (Replaying)[]; nextCursor: string | null; };
  };
  /** How far one of them is. */
  getReplay: {
    path: { id: string; };
    query: Nothing;
    body: undefined;
    answer: Replaying;
  };
  /** Requests with what came of them, newest first. */
  listRequests: {
    path: Nothing;
    query: { limit?: number; cursor?: string; hook?: string | readonly (string)[]; outcome?: "accepted" | "repeated" | "skipped" | "refused" | "failed" | "full" | readonly ("accepted" | "repeated" | "skipped" | "refused" | "failed" | "full")[]; status?: "queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled" | readonly ("queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled")[]; error?: string; id?: string; since?: string; until?: string; };
    body: undefined;
    answer: { items: readonly (Request)[]; nextCursor: string | null; };
  };
  /** One request, with its visible headers. */
  getRequest: {
    path: { id: string; };
    query: Nothing;
    body: undefined;
    answer: RequestDetails;
  };
  /** The body of a request as it came, byte by byte. */
  getRequestBody: {
    path: { id: string; };
    query: Nothing;
    body: undefined;
    answer: Response;
  };
  /** Everything that became of one request, step by step. */
  getRequestTimeline: {
    path: { id: string; };
    query: Nothing;
    body: undefined;
    answer: Timeline;
  };
  /** The same for one run, with the request that it came from. */
  getRunTimeline: {
    path: { id: string; };
    query: Nothing;
    body: undefined;
    answer: Timeline;
  };
  /** Server-sent events of one run: `run` (its state, first), `delta`, `tool`, `snapshot`, `end`. After its end, a reconnect with its last id is 204. */
  followRun: {
    path: { id: string; };
    query: Nothing;
    body: undefined;
    answer: Response;
  };
  /** Runs, newest first. */
  listRuns: {
    path: Nothing;
    query: { limit?: number; cursor?: string; hook?: string | readonly (string)[]; agent?: string | readonly (string)[]; status?: "queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled" | readonly ("queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled")[]; kind?: "hook" | "heartbeat" | readonly ("hook" | "heartbeat")[]; session?: string | readonly (string)[]; error?: string; id?: string; since?: string; until?: string; };
    body: undefined;
    answer: { items: readonly (Run)[]; nextCursor: string | null; };
  };
  /** Queues parked runs at once: one, those of a hook, or all. */
  releaseRuns: {
    path: Nothing;
    query: Nothing;
    body: { id?: string; hook?: string; };
    answer: { released: number; };
  };
  /** Queues every hook run again that failed or timed out since then and was not retried yet. */
  retryFailedRuns: {
    path: Nothing;
    query: { dryRun?: boolean; };
    body: { since: string; hook?: string; agent?: string; limit?: number; };
    answer: { since: string; until: string; count: number; hooks: Readonly<Record<string, number>>; agents: Readonly<Record<string, number>>; acted: number; retried?: readonly ({ id: string; retryOf: string; status: "queued"; })[]; };
  };
  /** One run, with its transcript and its deliveries. */
  getRun: {
    path: { id: string; };
    query: Nothing;
    body: undefined;
    answer: RunDetails;
  };
  /** Queues a new run with the request of one that has ended. */
  retryRun: {
    path: { id: string; };
    query: Nothing;
    body: Nothing;
    answer: { id: string; retryOf: string; status: "queued"; };
  };
  /** Ends a waiting run at once; a running one is stopped by its gateway within seconds. */
  cancelRun: {
    path: { id: string; };
    query: Nothing;
    body: Nothing;
    answer: { id: string; result: "cancelled" | "requested"; };
  };
  /** Notes for the main session, newest first. */
  listEvents: {
    path: Nothing;
    query: { limit?: number; cursor?: string; hook?: string | readonly (string)[]; status?: "waiting" | "shown" | readonly ("waiting" | "shown")[]; id?: string; since?: string; until?: string; };
    body: undefined;
    answer: { items: readonly (Event)[]; nextCursor: string | null; };
  };
  /** One note. */
  getEvent: {
    path: { id: string; };
    query: Nothing;
    body: undefined;
    answer: Event;
  };
  /** The next heartbeat shows it again. */
  retryEvent: {
    path: { id: string; };
    query: Nothing;
    body: Nothing;
    answer: { id: string; result: "waiting" | "cancelled"; };
  };
  /** It is never shown. */
  cancelEvent: {
    path: { id: string; };
    query: Nothing;
    body: Nothing;
    answer: { id: string; result: "waiting" | "cancelled"; };
  };
  /** Replies and failure notices for people, newest first. */
  listDeliveries: {
    path: Nothing;
    query: { limit?: number; cursor?: string; status?: "waiting" | "sent" | "failed" | "suppressed" | "unknown" | readonly ("waiting" | "sent" | "failed" | "suppressed" | "unknown")[]; channel?: string | readonly (string)[]; run?: string; id?: string; since?: string; until?: string; };
    body: undefined;
    answer: { items: readonly (Delivery)[]; nextCursor: string | null; };
  };
  /** One delivery, with its text. */
  getDelivery: {
    path: { id: string; };
    query: Nothing;
    body: undefined;
    answer: DeliveryDetails;
  };
  /** Sends what is not known to be sent; after `unknown`, the recipient may get a message twice. */
  retryDelivery: {
    path: { id: string; };
    query: Nothing;
    body: Nothing;
    answer: { id: string; status: "waiting"; };
  };
  /** Does not send a waiting one. */
  cancelDelivery: {
    path: { id: string; };
    query: Nothing;
    body: Nothing;
    answer: { id: string; result: "cancelled"; };
  };
  /** Conversations, last used first. */
  listSessions: {
    path: Nothing;
    query: { limit?: number; cursor?: string; agent?: string | readonly (string)[]; since?: string; until?: string; };
    body: undefined;
    answer: { items: readonly (Session)[]; nextCursor: string | null; };
  };
  /** What was said in a conversation, oldest first. */
  listTurns: {
    path: { agent: string; key: string; };
    query: Nothing;
    body: undefined;
    answer: { items: readonly (Turn)[]; nextCursor: null; };
  };
  /** The main session's last recipient. */
  getMainTarget: {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: { target: { channel: string; to: string; } | null; };
  };
  /** Sets the main session's recipient: of its heartbeats and of runs whose channel is `last`. */
  setMainTarget: {
    path: Nothing;
    query: Nothing;
    body: { target: { channel: string; to: string; } | null; };
    answer: { target: { channel: string; to: string; } | null; };
  };
  /** The hooks of the configuration, with what their runs have used today. */
  listHooks: {
    path: Nothing;
    query: { limit?: number; cursor?: string; hook?: string | readonly (string)[]; kind?: "built-in" | "mapped" | "sender" | "mail" | readonly ("built-in" | "mapped" | "sender" | "mail")[]; };
    body: undefined;
    answer: { items: readonly (Hook)[]; nextCursor: string | null; };
  };
  /** What a request to this hook would do. Nothing is stored; transforms run for real. */
  tryHook: {
    path: { name: string; };
    query: Nothing;
    body: { payload?: unknown; body?: string; requestId?: string; headers?: Readonly<Record<string, string>>; query?: Readonly<Record<string, string>>; event?: string; delivery?: string; };
    answer: Explanation;
  };
  /** Its requests are accepted and stored, and their runs wait. */
  pauseHook: {
    path: { name: string; };
    query: Nothing;
    body: Nothing;
    answer: { hook: string; paused: boolean; released?: number; };
  };
  /** Queues what waited while it was paused. */
  resumeHook: {
    path: { name: string; };
    query: Nothing;
    body: Nothing;
    answer: { hook: string; paused: boolean; released?: number; };
  };
  /** The agents of the configuration, in its order. */
  listAgents: {
    path: Nothing;
    query: { limit?: number; cursor?: string; agent?: string | readonly (string)[]; kind?: string | readonly (string)[]; };
    body: undefined;
    answer: { items: readonly (Agent)[]; nextCursor: string | null; };
  };
  /** The channels of the configuration, with what waits to be sent. */
  listChannels: {
    path: Nothing;
    query: { limit?: number; cursor?: string; channel?: string | readonly (string)[]; };
    body: undefined;
    answer: { items: readonly (Channel)[]; nextCursor: string | null; };
  };
  /** Sends a real message straight to the platform, once; nothing is stored. */
  testChannel: {
    path: { name: string; };
    query: Nothing;
    body: { to?: string; text?: string; };
    answer: { channel: string; to: string; outcome: "sent" | "retry" | "rejected" | "unknown"; sentMessages: number; reason: string | null; retryAfterSeconds: number | null; };
  };
  /** The config file. Secrets that stand in it are shown as marks; references stay. */
  getConfig: {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: Config;
  };
  /** Replaces the config file by this text, if it has no problems and nobody changed the file since. */
  replaceConfig: {
    path: Nothing;
    query: Nothing;
    body: { text: string; };
    answer: { taken: boolean; warnings: readonly ({ path: string; message: string; line?: number; column?: number; })[]; restart: readonly (string)[]; };
  };
  /** Every problem that this text would have as the config file. Nothing is written. */
  checkConfig: {
    path: Nothing;
    query: Nothing;
    body: { text: string; };
    answer: { ok: boolean; problems: readonly ({ path: string; message: string; line?: number; column?: number; })[]; warnings: readonly ({ path: string; message: string; line?: number; column?: number; })[]; restart: readonly (string)[]; };
  };
  /** What operators did through the API, the console and commands, newest first. */
  listAudit: {
    path: Nothing;
    query: { limit?: number; cursor?: string; actor?: string | readonly (string)[]; verb?: string | readonly (string)[]; outcome?: "done" | "refused" | "failed" | readonly ("done" | "refused" | "failed")[]; since?: string; until?: string; };
    body: undefined;
    answer: { items: readonly (AuditEntry)[]; nextCursor: string | null; };
  };
  /** Server-sent events (`change`): hints of what has changed, without data. A hint can be lost, so read what you need again after a reconnect. */
  listenToChanges: {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: Response;
  };
  /** This description, as OpenAPI 3.1. */
  getDescription: {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: { openapi: string; };
  };
};

/** The method and the path of every call. */
export const operations = {
  getStatus: ["GET", "/api/v1/status"],
  requestHeartbeat: ["POST", "/api/v1/heartbeat"],
  replayRequests: ["POST", "/api/v1/requests/replay"],
  replayRequest: ["POST", "/api/v1/requests/{id}/replay"],
  listReplays: ["GET", "/api/v1/replays"],
  getReplay: ["GET", "/api/v1/replays/{id}"],
  listRequests: ["GET", "/api/v1/requests"],
  getRequest: ["GET", "/api/v1/requests/{id}"],
  getRequestBody: ["GET", "/api/v1/requests/{id}/body"],
  getRequestTimeline: ["GET", "/api/v1/requests/{id}/timeline"],
  getRunTimeline: ["GET", "/api/v1/runs/{id}/timeline"],
  followRun: ["GET", "/api/v1/runs/{id}/events"],
  listRuns: ["GET", "/api/v1/runs"],
  releaseRuns: ["POST", "/api/v1/runs/release"],
  retryFailedRuns: ["POST", "/api/v1/runs/retry"],
  getRun: ["GET", "/api/v1/runs/{id}"],
  retryRun: ["POST", "/api/v1/runs/{id}/retry"],
  cancelRun: ["POST", "/api/v1/runs/{id}/cancel"],
  listEvents: ["GET", "/api/v1/events"],
  getEvent: ["GET", "/api/v1/events/{id}"],
  retryEvent: ["POST", "/api/v1/events/{id}/retry"],
  cancelEvent: ["POST", "/api/v1/events/{id}/cancel"],
  listDeliveries: ["GET", "/api/v1/deliveries"],
  getDelivery: ["GET", "/api/v1/deliveries/{id}"],
  retryDelivery: ["POST", "/api/v1/deliveries/{id}/retry"],
  cancelDelivery: ["POST", "/api/v1/deliveries/{id}/cancel"],
  listSessions: ["GET", "/api/v1/sessions"],
  listTurns: ["GET", "/api/v1/sessions/{agent}/{key}/turns"],
  getMainTarget: ["GET", "/api/v1/session/target"],
  setMainTarget: ["PUT", "/api/v1/session/target"],
  listHooks: ["GET", "/api/v1/hooks"],
  tryHook: ["POST", "/api/v1/hooks/{name}/try"],
  pauseHook: ["POST", "/api/v1/hooks/{name}/pause"],
  resumeHook: ["POST", "/api/v1/hooks/{name}/resume"],
  listAgents: ["GET", "/api/v1/agents"],
  listChannels: ["GET", "/api/v1/channels"],
  testChannel: ["POST", "/api/v1/channels/{name}/test"],
  getConfig: ["GET", "/api/v1/config"],
  replaceConfig: ["PUT", "/api/v1/config"],
  checkConfig: ["POST", "/api/v1/config/check"],
  listAudit: ["GET", "/api/v1/audit"],
  listenToChanges: ["GET", "/api/v1/changes"],
  getDescription: ["GET", "/api/v1/openapi.json"],
} as const satisfies Readonly<Record<keyof Operations, readonly [string, string]>>;
