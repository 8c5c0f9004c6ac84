// The page, the dashboard and the alert rules name only existing metrics.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createMetrics } from "../src/telemetry/metrics.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const page = read("docs/observability.md");
const families = createMetrics().list();
const byName = new Map(families.map((family) => [family.name, family]));

/** A metric's names in queries: a histogram has three. */
const seriesNames = new Set(
  families.flatMap(({ name, type }) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);
const namesIn = (text: string): string[] => [...new Set(text.match(/\brouse_[a-z_]+\b/g))];

type Target = { expr: string; refId: string; datasource: { uid: string } };
type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { type: string; uid: string };
  targets?: Target[];
  fieldConfig?: { defaults: object; overrides: unknown[] };
  options?: object;
};
type Variable = { name: string; type: string; query: unknown };
type Dashboard = {
  title: string;
  uid: string;
  schemaVersion: number;
  panels: Panel[];
  templating: { list: Variable[] };
};
const dashboard = JSON.parse(read("deploy/grafana/rouse.json")) as Dashboard;
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

test("docs/observability.md lists exactly the existing metrics, with their types and labels", () => {
  const rows = [...page.matchAll(/^\| `(rouse_\w+)` \| (\w+) \| (.*?) ?\| (.+) \|$/gm)];
  const listed = rows.map(([, name, type, labels]) =>
    [name, type, (labels ?? "").replaceAll("`", "")].join(" "),
  );
  const expected = families.map(({ name, type, labels }) => [name, type, labels.join(", ")].join(" "));
  assert.deepEqual(listed.toSorted(), expected.toSorted());
});

test("names follow Prometheus's conventions", () => {
  for (const { name, type, help } of families) {
    assert.match(name, /^rouse_[a-z_]+$/);
    assert.equal(name.endsWith("_total"), type === "counter", name);
    assert.match(help, /^[A-Z1].*\.$/, name);
  }
});

test("every metric of the dashboard exists, and the dashboard shows every metric", () => {
  for (const name of namesIn(JSON.stringify(dashboard))) assert.ok(seriesNames.has(name), name);
  const shown = new Set(
    namesIn(JSON.stringify(dashboard)).map((name) => name.replace(/_(bucket|sum|count)$/, "")),
  );
  assert.deepEqual(
    [...byName.keys()].filter((name) => !shown.has(name)),
    [],
  );
});

test("every label that a query selects or groups by is one of its metric's", () => {
  const outside = new Set(["job", "instance", "le"]);
  const texts = [...expressions, read("deploy/prometheus/alerts.yml")];
  let seen = 0;
  for (const text of texts) {
    for (const [, name = "", selectors = ""] of text.matchAll(/\b(rouse_[a-z_]+)\{([^}]*)\}/g)) {
      const known = byName.get(name) ?? byName.get(name.replace(/_(bucket|sum|count)$/, ""));
      for (const [, label = ""] of selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
        assert.ok(outside.has(label) || known?.labels.includes(label), `${name}: ${label}`);
        seen++;
      }
    }
  }
  assert.ok(seen > 30);
});

test("the dashboard can be imported: its data source is chosen there, and its panels do not overlap", () => {
  assert.deepEqual(
    [dashboard.title, dashboard.uid, typeof dashboard.schemaVersion],
    ["Rouse", "rouse", "number"],
  );
  const [source, ...variables] = dashboard.templating.list;
  assert.deepEqual([source?.name, source?.type, source?.query], ["datasource", "datasource", "prometheus"]);
  const known = new Set(["datasource", "__rate_interval", "__range", ...variables.map(({ name }) => name)]);
  for (const [, name = ""] of JSON.stringify(dashboard).matchAll(/\$\{?(\w+)\}?/g))
    assert.ok(known.has(name), name);
  const taken = new Set<string>();
  for (const { id, type, title, gridPos, targets, ...panel } of dashboard.panels) {
    assert.ok(id > 0 && title !== "" && ["row", "stat", "timeseries"].includes(type), title);
    assert.ok(gridPos.x >= 0 && gridPos.x + gridPos.w <= 24 && gridPos.h > 0, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(!taken.has(`${x} ${y}`), `${title} lies on another panel`);
        taken.add(`${x} ${y}`);
      }
    }
    if (type === "row") continue;
    assert.ok(targets && targets.length > 0 && panel.fieldConfig && panel.options, title);
    for (const each of [panel, ...targets]) assert.equal(each.datasource?.uid, "${datasource}", title);
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
  }
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
});

test("every metric of the alert rules exists, and the page lists the rules", () => {
  const rules = read("deploy/prometheus/alerts.yml");
  const names = namesIn(rules);
  assert.ok(names.length >= 8);
  for (const name of names) assert.ok(seriesNames.has(name), name);
  for (const name of namesIn(read("deploy/prometheus/alerts.test.yml")))
    assert.ok(seriesNames.has(name), name);
  const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name);
  const listed = [...page.matchAll(/^\| `(Rouse\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(listed, alerts);
});
