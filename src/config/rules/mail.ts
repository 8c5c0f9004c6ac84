// Rules for `hooks.mail`: how an account logs in, and that its mail finds a mapping.
import type { Finding, Path } from "../problem.ts";
import { isLoopback } from "../../core/loopback.ts";
import type { Settings } from "../schema/index.ts";

type Account = Settings["hooks"]["mail"][number];

export function mailRules({ hooks }: Settings): { problems: Finding[]; warnings: Finding[] } {
  const path = ["hooks", "mail"];
  const problems = hooks.mail.flatMap((account, at) => [
    ...accountProblems(account, [...path, at]),
    ...repeated(hooks.mail, at, [...path, at, "id"]),
  ]);
  const warnings = hooks.mail.length > 0 && !takesMail(hooks) ? [{ path, message: noMapping }] : [];
  return { problems, warnings };
}

const noMapping =
  'no mapping takes this mail, so it would lead to nothing: add "gmail" to hooks.presets, or a mapping with match.path "gmail"';

const takesMail = ({ presets, gmail, mappings }: Settings["hooks"]): boolean =>
  presets.includes("gmail") ||
  gmail !== undefined ||
  mappings.some(({ match }) => (match?.path ?? "gmail") === "gmail");

function accountProblems(
  { password, accessToken, secure, allowInsecure, host }: Account,
  path: Path,
): Finding[] {
  const problems: Finding[] = [];
  if (blank(password) && blank(accessToken)) {
    problems.push({ path, message: "needs a password or an accessToken" });
  }
  if (!blank(password) && !blank(accessToken)) {
    problems.push({
      path: [...path, "accessToken"],
      message: "must not stand beside a password: keep one of them",
    });
  }
  if (allowInsecure && secure) {
    problems.push({
      path: [...path, "allowInsecure"],
      message: "has no meaning while secure is true: set that to false",
    });
  } else if (allowInsecure && !isLoopback(host)) {
    const message = "is only for a server on this machine: the password would travel readable by others";
    problems.push({ path: [...path, "allowInsecure"], message });
  }
  return problems;
}

const blank = (written: string | undefined): boolean => written === undefined || written.trim() === "";

const repeated = (accounts: readonly Account[], at: number, path: Path): Finding[] =>
  accounts.findIndex(({ id }) => id === accounts[at]?.id) === at
    ? []
    : [{ path, message: "is the id of another account: each needs its own" }];
