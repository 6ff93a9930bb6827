/**
 * The node as a library on Node, Deno and Bun.
 * @module
 */
export { createNode, type IsoNode, type NodeGenesis, type NodeHost } from '../../src/node/node.ts'
export { type NodeSettings, settingsOf } from '../../src/node/settings/nodeSettings.ts'
export { installNodeCrypto } from '../server/crypto/crypto.ts'
export { type DataDirectory, openDataDirectory } from '../server/data/dataDirectory.ts'
export { LmdbStore } from '../server/data/lmdbStore.ts'
export { serveHttp } from '../server/http/httpServer.ts'
export { WebSocketConnections } from '../server/http/webSocketConnections.ts'
export { serveWebSocket } from '../server/http/webSocketServer.ts'
export { openSession, type Session, type SessionInput } from '../server/session.ts'
export { systemClock, systemRandom, systemTimers, yieldToHost } from '../server/systemPorts.ts'
export { RecoveryPool } from '../server/threads/recoveryPool.ts'
export { RequestPool, type RequestPoolOptions } from '../server/threads/requestPool.ts'
