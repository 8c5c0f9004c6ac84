import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry } from "./registry.ts";

test("a family is printed with its help, its type and its series", () => {
  const registry = createRegistry();
  const responses = registry.counter("x_total", 'Responses, "all" of them.\nReally \\ all.', [
    "hook",
    "code",
  ]);
  responses.at("a", "ok").value += 2;
  responses.at("a", "ok").value++;
  responses.at('b"\\\n', "ok").value = 0.5;
  registry.gauge("y", "Empty.", ["z"]);
  assert.equal(
    registry.render(),
    [
      '# HELP x_total Responses, "all" of them.\\nReally \\\\ all.',
      "# TYPE x_total counter",
      'x_total{hook="a",code="ok"} 3',
      'x_total{hook="b\\"\\\\\\n",code="ok"} 0.5',
      "# HELP y Empty.",
      "# TYPE y gauge",
      "",
    ].join("\n"),
  );
  assert.deepEqual(
    registry.list().map(({ name, type }) => [name, type]),
    [
      ["x_total", "counter"],
      ["y", "gauge"],
    ],
  );
});

test("a histogram counts a value in every bucket that it fits", () => {
  const registry = createRegistry();
  const sizes = registry.histogram("size", "Sizes.", [1, 2, 5], ["of"]).at("a");
  for (const value of [0.5, 1, 1.5, 5, 7]) sizes.observe(value);
  assert.deepEqual(registry.render().trim().split("\n").slice(2), [
    'size_bucket{of="a",le="1"} 2',
    'size_bucket{of="a",le="2"} 3',
    'size_bucket{of="a",le="5"} 4',
    'size_bucket{of="a",le="+Inf"} 5',
    'size_sum{of="a"} 15',
    'size_count{of="a"} 5',
  ]);
});

test("a gauge that is cleared has only the series set since", () => {
  const registry = createRegistry();
  const waiting = registry.gauge("waiting", "W.", ["channel"]);
  waiting.at("a").value = 1;
  waiting.clear();
  waiting.at("b").value = Infinity;
  assert.deepEqual(registry.render().trim().split("\n").slice(2), ['waiting{channel="b"} +Inf']);
});
