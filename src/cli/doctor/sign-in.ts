// Says whether the program of a preset finds a key or a login, as far as its variables and files tell. Nothing is
// started and nothing is sent, so a login that was revoked elsewhere is not noticed.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { CommandPreset } from "../../config/config.ts";

export type SignIn =
  | { kind: "found"; where: string }
  | { kind: "missing"; looked: string }
  | { kind: "unknown"; why: string };

type LoginFile = { file: string; holds: (text: string, now: number) => boolean };
type Program = {
  /** Keys and logins that the preset passes on. */
  variables: readonly string[];
  /** Variables that choose a cloud's own login; they reach the program only when the agent's `env` names them. */
  clouds: readonly string[];
  files(env: NodeJS.ProcessEnv, home: string): LoginFile[];
  /** A system whose key store may have the login instead. */
  keyStoreOn: readonly NodeJS.Platform[];
  remedy: string;
};

const filled = z.string().min(1);
const claudeLogin = z.object({
  claudeAiOauth: z.union([
    z.object({ refreshToken: filled }),
    z.object({ accessToken: filled, expiresAt: z.number().optional() }),
  ]),
});
const claudeAccount = z.object({ primaryApiKey: filled });
const claudeVariables = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];
const claudeClouds = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];
const claudeSettings = z.union([
  z.object({ apiKeyHelper: filled }),
  z.object({
    env: z
      .record(z.string(), z.unknown())
      .refine((env) => [...claudeVariables, ...claudeClouds].some((name) => Object.hasOwn(env, name))),
  }),
]);
const codexLogin = z.union([
  z.object({ OPENAI_API_KEY: filled }),
  z.object({ tokens: z.union([z.object({ refresh_token: filled }), z.object({ access_token: filled })]) }),
]);
const geminiLogin = z.union([z.object({ refresh_token: filled }), z.object({ access_token: filled })]);

const fits =
  (shape: z.ZodType): LoginFile["holds"] =>
  (text) =>
    shape.safeParse(JSON.parse(text)).success;

function claudeHolds(text: string, now: number): boolean {
  const { data } = claudeLogin.safeParse(JSON.parse(text));
  if (data === undefined) return false;
  const login = data.claudeAiOauth;
  return "refreshToken" in login || login.expiresAt === undefined || login.expiresAt > now;
}

export const programs: Readonly<Record<CommandPreset, Program>> = {
  claude: {
    variables: claudeVariables,
    clouds: claudeClouds,
    files: (env, home) => {
      const folder = env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude");
      return [
        { file: join(folder, ".credentials.json"), holds: claudeHolds },
        { file: join(folder, "settings.json"), holds: fits(claudeSettings) },
        { file: join(env["CLAUDE_CONFIG_DIR"] ?? home, ".claude.json"), holds: fits(claudeAccount) },
      ];
    },
    keyStoreOn: ["darwin"],
    remedy: "Sign in as the user of the gateway: claude auth login",
  },
  codex: {
    variables: ["CODEX_API_KEY", "OPENAI_API_KEY"],
    clouds: [],
    files: (env, home) => [
      { file: join(env["CODEX_HOME"] ?? join(home, ".codex"), "auth.json"), holds: fits(codexLogin) },
    ],
    keyStoreOn: [],
    remedy: "Sign in as the user of the gateway: codex login",
  },
  gemini: {
    variables: [
      "GEMINI_API_KEY",
      "GOOGLE_API_KEY",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "GOOGLE_GENAI_USE_VERTEXAI",
      "GOOGLE_GENAI_USE_GCA",
    ],
    clouds: [],
    files: (_, home) => [
      { file: join(home, ".gemini", "oauth_creds.json"), holds: fits(geminiLogin) },
      {
        file: join(home, ".gemini", ".env"),
        holds: (text) => /^[ \t]*(GEMINI|GOOGLE)_API_KEY[ \t]*=[ \t]*\S/m.test(text),
      },
    ],
    keyStoreOn: ["darwin"],
    remedy: "Sign in as the user of the gateway: start gemini once",
  },
};

type Options = { env: NodeJS.ProcessEnv; named: readonly string[]; now: number; platform?: NodeJS.Platform };

/** `named` are the variables in the agent's `env`. */
export function findSignIn(
  preset: CommandPreset,
  { env, named, now, platform = process.platform }: Options,
): SignIn {
  const { variables, clouds, files, keyStoreOn } = programs[preset];
  const passed = [...variables, ...clouds.filter((name) => named.includes(name))];
  const variable = passed.find((name) => (env[name] ?? "").trim() !== "");
  if (variable !== undefined) return { kind: "found", where: variable };
  const logins = files(env, env["HOME"] || homedir());
  const login = logins.find(({ file, holds }) => holdsLogin(file, holds, now));
  if (login !== undefined) return { kind: "found", where: login.file };
  if (keyStoreOn.includes(platform))
    return { kind: "unknown", why: "on this system it keeps its login in the key store" };
  return { kind: "missing", looked: [...variables, ...logins.map(({ file }) => file)].join(", ") };
}

/** A file that is missing or no JSON holds none. */
function holdsLogin(file: string, holds: LoginFile["holds"], now: number): boolean {
  try {
    return holds(readFileSync(file, "utf8"), now);
  } catch {
    return false;
  }
}
