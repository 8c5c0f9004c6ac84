// Node's HTTP without an `import`, which would read all of its exports and so load Node's WebSocket and fetch: 30 ms of
// the start and some megabytes, for parts that the server never uses.
export const { createServer: createHttpServer, STATUS_CODES } = process.getBuiltinModule("node:http");
