/**
 * The node as a library on Node, Deno and Bun.
 * @module
 */
export { createNode, type IsoNode, type NodeGenesis, type NodeHost } from '../../src/node/node.ts'
export { type NodeSettings, settingsOf } from '../../src/node/settings.ts'
export { installNodeCrypto } from './crypto.ts'
export { type DataDirectory, openDataDirectory } from './dataDirectory.ts'
export { serveHttp } from './httpServer.ts'
export { LmdbStore } from './lmdbStore.ts'
export { RecoveryPool } from './recoveryPool.ts'
export { RequestPool, type RequestPoolOptions } from './requestPool.ts'
export { openSession, type Session, type SessionInput } from './session.ts'
export { systemClock, systemRandom, systemTimers, yieldToHost } from './systemPorts.ts'
export { WebSocketConnections } from './webSocketConnections.ts'
export { serveWebSocket } from './webSocketServer.ts'
