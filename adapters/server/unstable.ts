/**
 * The parts that nodes are made of, on Node, Deno and Bun. Any release may change or remove what this entry exports;
 * `isonode` and `isonode/browser` follow semantic versioning.
 * @module
 */

export type { KeyValueStore } from '../../src/base/ports/keyValueStore.ts'
export type { Chain } from '../../src/chain/chain.ts'
export type { ChainConfig } from '../../src/config/chainConfig.ts'
export { type Genesis, parseGenesis, parseGenesisFile } from '../../src/config/genesisFile.ts'
export { createNode, type IsoNode, type NodeGenesis, type NodeHost } from '../../src/node/node.ts'
export { createReadNode, type ReadNode, type ReadNodeHost } from '../../src/node/readOnly/readOnlyNode.ts'
export { type NodeSettings, settingsOf } from '../../src/node/settings/nodeSettings.ts'
export type { StateStore } from '../../src/state/stateStore.ts'
export { MemoryStore } from '../../src/storage/memoryStore.ts'
export { internalsOf } from '../shared/localNode.ts'
export { systemClock, systemRandom, systemTimers, yieldToHost } from '../shared/systemPorts.ts'
export { installNodeCrypto } from './crypto/crypto.ts'
export { type DataDirectory, openDataDirectory } from './data/dataDirectory.ts'
export { LmdbStore } from './data/lmdbStore.ts'
export { serveHttp } from './http/httpServer.ts'
export { WebSocketConnections } from './http/webSocketConnections.ts'
export { serveWebSocket } from './http/webSocketServer.ts'
export { openServerNode, type ServerNode, type ServerNodeDeps } from './serverNode.ts'
export { RecoveryPool } from './threads/recoveryPool.ts'
export { RequestPool, type RequestPoolOptions } from './threads/requestPool.ts'
