// How much an MCP server may send.

/** Of one message. A tool can give pictures and files. */
export const mostMessageBytes = 16_000_000;
/** Of all definitions of tools, as JSON. They go to the model. */
export const mostDefinitionBytes = 4_000_000;
/** Of our messages that it has not read: it can ask without end, and each request has a response. */
export const mostUnsentBytes = 4_000_000;
