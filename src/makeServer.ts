/** Makes a server. An import of `node:http` would also load its WebSocket, which takes longer than the rest of a rehearsal's start. */
export const makeServer = () => process.getBuiltinModule("node:http").createServer()
