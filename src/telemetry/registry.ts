// Counters, gauges and histograms, and the text that Prometheus reads (format 0.0.4). Our own, because all of it is
// less than a library takes to load, and counting allocates nothing: a series is found by one map a label.

export type Counter = { value: number };
export type Gauge = { value: number };
export type Histogram = { observe(value: number): void };

/** One metric. `at` finds the series with these label values, or makes it. */
export type Family<Series> = { at(first?: string, second?: string, third?: string): Series };

export type Described = {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  labels: readonly string[];
};

export type Registry = {
  counter(name: string, help: string, labels?: readonly string[]): Family<Counter>;
  /** `clear` forgets its series, before those that there are now are set. */
  gauge(name: string, help: string, labels?: readonly string[]): Family<Gauge> & { clear(): void };
  histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    labels?: readonly string[],
  ): Family<Histogram>;
  list(): Described[];
  render(): string;
};

type Line = (suffix: string, labels: string, value: number) => void;
type Printed = { print(line: Line): void };
type Entry = Described & Printed;

export function createRegistry(): Registry {
  const entries: Entry[] = [];

  function add<Series>(
    described: Described,
    make: () => Series,
    print: (series: Series, labels: string, line: Line) => void,
  ): Family<Series> & { clear(): void } {
    const family = createFamily(described.labels, make);
    entries.push({
      ...described,
      print: (line) => family.each((series, text) => print(series, text, line)),
    });
    return family;
  }

  const printValue = ({ value }: Counter, labels: string, line: Line) => line("", labels, value);
  const zero = () => ({ value: 0 });
  return {
    counter: (name, help, labels = []) => add({ name, type: "counter", help, labels }, zero, printValue),
    gauge: (name, help, labels = []) => add({ name, type: "gauge", help, labels }, zero, printValue),
    histogram: (name, help, bounds, labels = []) =>
      add({ name, type: "histogram", help, labels }, () => createHistogram(bounds), printHistogram),
    list: () => entries.map(({ name, type, help, labels }) => ({ name, type, help, labels })),
    render: () => entries.map(textOf).join(""),
  };
}

function textOf({ name, type, help, print }: Entry): string {
  let text = `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
  print((suffix, labels, value) => {
    text += `${name}${suffix}${labels === "" ? "" : `{${labels}}`} ${numberText(value)}\n`;
  });
  return text;
}

const numberText = (value: number): string => {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
};

type Node<Series> = { series: Series | null; under: Map<string, Node<Series>> };

function createFamily<Series>(labels: readonly string[], make: () => Series) {
  let root: Node<Series> = { series: null, under: new Map() };

  function below(node: Node<Series>, value: string): Node<Series> {
    const known = node.under.get(value);
    if (known !== undefined) return known;
    const made: Node<Series> = { series: null, under: new Map() };
    node.under.set(value, made);
    return made;
  }

  function walk(node: Node<Series>, values: readonly string[], see: (series: Series, text: string) => void) {
    if (node.series !== null) see(node.series, values.map(labelText).join(","));
    for (const [value, each] of node.under) walk(each, [...values, value], see);
  }
  const labelText = (value: string, index: number): string => `${labels[index]}="${escaped(value)}"`;

  return {
    at(first?: string, second?: string, third?: string): Series {
      let node = root;
      if (first !== undefined) node = below(node, first);
      if (second !== undefined) node = below(node, second);
      if (third !== undefined) node = below(node, third);
      return (node.series ??= make());
    },
    each: (see: (series: Series, text: string) => void) => walk(root, [], see),
    clear() {
      root = { series: null, under: new Map() };
    },
  };
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

type Filled = Histogram & { bounds: readonly number[]; counts: Float64Array; sum(): number };

function createHistogram(bounds: readonly number[]): Filled {
  // The last bucket counts values above every bound.
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    bounds,
    counts,
    sum: () => sum,
    observe(value) {
      let at = 0;
      while (at < bounds.length && value > bounds[at]!) at++;
      counts[at]!++;
      sum += value;
    },
  };
}

function printHistogram({ bounds, counts, sum }: Filled, labels: string, line: Line): void {
  const before = labels === "" ? "" : `${labels},`;
  let total = 0;
  for (const [index, count] of counts.entries()) {
    total += count;
    line("_bucket", `${before}le="${numberText(bounds[index] ?? Infinity)}"`, total);
  }
  line("_sum", labels, sum());
  line("_count", labels, total);
}
