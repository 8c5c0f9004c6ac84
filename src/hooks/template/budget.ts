// What one request may use to render its templates: one budget for all its elements and templates together.

/** `ms`: processor time. */
export type BudgetLimits = { readonly characters: number; readonly ms: number };

export class OverBudget extends Error {
  override readonly name = "OverBudget";
}

/** The shape in which LiquidJS asks for a limit. */
type Limit = { use(count: number): void; check(): void };

export type Budget = {
  /** Characters that are read or written, and elements of lists. */
  readonly memory: Limit;
  /** Asked before each node of a template. */
  readonly time: Limit;
  isSpent(): boolean;
  /** Starts the clock: time counts only while something is rendered. */
  during<T>(work: () => T): T;
  left(): BudgetLimits;
};

/** Reading the time costs as much as a small node of a template: it is read after this many nodes, or characters. */
const nodesBetweenLooks = 32;
const charactersPerNode = 300;

/** `left`: what earlier work for the same request has left over. */
export function createBudget(limits: BudgetLimits, left: BudgetLimits = limits): Budget {
  let { characters, ms } = left;
  let spent = false;
  let deadline = Infinity;
  let nodes = 0;
  const exceeded = (reason: string): never => {
    spent = true;
    throw new OverBudget(reason);
  };
  return {
    memory: {
      use(count) {
        if (!(count > 0)) return;
        characters -= count;
        nodes += count / charactersPerNode;
        if (characters < 0) exceeded(tooManyCharacters(limits));
      },
      check: () => {},
    },
    time: {
      use: () => {},
      check() {
        nodes++;
        if (nodes < nodesBetweenLooks) return;
        nodes = 0;
        if (processorMs() > deadline) exceeded(tookTooLong(limits));
      },
    },
    isSpent: () => spent,
    during(work) {
      const startedAt = processorMs();
      deadline = startedAt + ms;
      try {
        return work();
      } finally {
        ms = Math.max(0, ms - (processorMs() - startedAt));
        deadline = Infinity;
      }
    },
    left: () => ({ characters: Math.max(0, characters), ms }),
  };
}

/** Of this thread: a busy machine makes no template fail. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export const tookTooLong = ({ ms }: BudgetLimits): string =>
  `it took longer than the ${ms} ms of processor time that the templates of a request may use together`;

const tooManyCharacters = ({ characters }: BudgetLimits): string =>
  `it needs more than the ${characters.toLocaleString("en-US")} characters that the templates of a request may use together`;

const usualCharacters = 4_000_000;
const mostCharacters = 32_000_000;

/** For a body of this size. Four times the body is more only where `hooks.maxBodyBytes` allows large ones. */
export const requestLimits = (bodyBytes: number): BudgetLimits => ({
  characters: Math.min(Math.max(usualCharacters, 4 * bodyBytes), mostCharacters),
  ms: 1_000,
});
