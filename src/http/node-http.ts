// Node's own HTTP, taken as it is. An `import` of it looks at everything it exports, and with that loads Node's
// WebSocket and fetch: 30 ms of the start and some megabytes, for something the server never uses.
export const { createServer: createHttpServer, STATUS_CODES } = process.getBuiltinModule("node:http");
