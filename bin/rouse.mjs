#!/usr/bin/env node
// The way in. Only words that an old Node can read, so that it can say it is too old; everything else is in main.
var version = process.versions.node;

function fail(message) {
  process.stderr.write(message + "\n");
  process.exitCode = 1;
}

// Zod brings its messages along in fifty languages, and offers no way to leave them at home: 10 MB and a tenth of the
// start. Ours are written by ourselves; its own English ones stay as the fallback.
function withoutLocales(url, context, nextLoad) {
  if (!url.endsWith("/zod/v4/locales/index.js")) return nextLoad(url, context);
  return { format: "module", source: 'export { default as en } from "./en.js";', shortCircuit: true };
}

function start() {
  Promise.all([import("fs"), import("module")])
    .then(function (modules) {
      try {
        modules[1].default.enableCompileCache();
        modules[1].default.registerHooks({ load: withoutLocales });
      } catch {
        // Only slower.
      }
      // From a checkout the sources run as they are; inside node_modules Node strips no types.
      var source = new URL("../src/main.ts", import.meta.url);
      return import(modules[0].existsSync(source) ? source.href : "../dist/main.js");
    })
    .then(function (entry) {
      return entry.main();
    })
    .then(function (code) {
      return (process.exitCode = code);
    })
    .catch(function (fault) {
      fail("rouse: " + (fault && fault.message) + (process.env.ROUSE_DEBUG ? "\n" + fault.stack : ""));
    });
}

if (Number(version.split(".")[0]) >= 24) start();
else
  fail(
    "rouse needs Node.js 24 or newer; this is " +
      version +
      ". Install a newer one from https://nodejs.org, or in a checkout use its own: npm ci, then npm run rouse.",
  );
