/**
 * Converts options to the settings of the servers and the files of a node.
 * @module
 */
import { hexToBytes } from '../../src/base/primitives/bytes.ts'
import { ANY_PUBLISHER, historyBlocks } from '../../src/cli/mirrorRules.ts'
import { hasWebSocketPort, isWebSocketPortOptional } from '../../src/cli/rules.ts'
import { type NodeOptions, OPTIONS } from '../../src/config/options.ts'
import { isInMemory } from '../../src/config/storageOptions.ts'
import type { ReplicaOptions } from '../../src/node/readOnly/replica.ts'
import type { Durability } from './data/lmdbStore.ts'

/** The values of the options, and which of them were set. */
export interface ServiceOptions {
  readonly options: NodeOptions
  readonly given: ReadonlySet<string>
  /** Whether WebSockets are served on the HTTP port only, unless their port was given. */
  readonly sharesPort?: boolean
}

export interface ListenSettings {
  readonly host: string
  readonly port: number
}

/** The servers of a node; undefined: the server is off. */
export interface ServiceSettings {
  readonly http: ListenSettings | undefined
  readonly graphql: ListenSettings | undefined
  readonly webSocket: WebSocketSettings | undefined
  /** Path of the socket, as it was given. */
  readonly ipc: string | undefined
  readonly metrics: ListenSettings | undefined
  readonly metricsPush: MetricsPushSettings | undefined
  /** For JSON-RPC and GraphQL over HTTP. */
  readonly connections: ConnectionSettings
  /** For JSON-RPC and GraphQL over HTTP; undefined: TLS is off. */
  readonly tls: TlsFiles | undefined
}

/** The files and choices of TLS. */
export interface TlsFiles {
  readonly keyStore: string
  readonly password: string | undefined
  readonly protocols: readonly string[]
  readonly cipherSuites: readonly string[]
  /** Which clients are accepted; undefined: all. */
  readonly clients: TlsClients | undefined
}

export interface TlsClients {
  /** File with their fingerprints; undefined: only the authorities decide. */
  readonly knownClients: string | undefined
  readonly acceptsAuthorities: boolean
}

export interface ConnectionSettings {
  readonly maxConnections: number
  /** Limit per connection; undefined: unlimited. */
  readonly maxRequestsPerSecond: number | undefined
  readonly compresses: boolean
}

export interface WebSocketSettings {
  readonly maxConnections: number
  readonly maxFrameBytes: number
  /** undefined: WebSockets are served on the HTTP port only. */
  readonly separate: ListenSettings | undefined
  /** Whether the HTTP port suffices when the separate port is in use. */
  readonly isPortOptional: boolean
}

export interface MetricsPushSettings extends ListenSettings {
  readonly job: string
  readonly intervalMs: number
}

const SECOND_MS = 1000
/** Of `--mirror-cache`, for caches. The rest is for what allocators and the collection of garbage need beyond them. */
const CACHE_PART = 0.5

export function serviceSettings(line: ServiceOptions): ServiceSettings {
  const { options } = line
  return {
    http: options['rpc-http-enabled'] ? { host: options['rpc-http-host'], port: options['rpc-http-port'] } : undefined,
    graphql: options['graphql-http-enabled']
      ? { host: options['graphql-http-host'], port: options['graphql-http-port'] }
      : undefined,
    webSocket: options['rpc-ws-enabled'] ? webSocketSettings(line) : undefined,
    ipc: options['rpc-ipc-enabled'] ? options['rpc-ipc-path'] : undefined,
    metrics: options['metrics-enabled'] ? { host: options['metrics-host'], port: options['metrics-port'] } : undefined,
    metricsPush: options['metrics-push-enabled'] ? metricsPushSettings(options) : undefined,
    connections: {
      maxConnections: options['rpc-http-max-active-connections'],
      maxRequestsPerSecond: options['rpc-max-requests-per-second'] || undefined,
      compresses: options['rpc-http-compression-enabled'],
    },
    tls: options['rpc-http-tls-enabled'] && options['rpc-http-enabled'] ? tlsFiles(options) : undefined,
  }
}

function tlsFiles(options: NodeOptions): TlsFiles {
  return {
    keyStore: options['rpc-http-tls-keystore-file'] as string,
    password: options['rpc-http-tls-keystore-password-file'],
    protocols: options['rpc-http-tls-protocols'],
    cipherSuites: options['rpc-http-tls-cipher-suites'],
    clients: options['rpc-http-tls-client-auth-enabled']
      ? {
          knownClients: options['rpc-http-tls-known-clients-file'],
          acceptsAuthorities: options['rpc-http-tls-ca-clients-enabled'],
        }
      : undefined,
  }
}

function webSocketSettings({ options, given, sharesPort = false }: ServiceOptions): WebSocketSettings {
  const hasHttp = options['rpc-http-enabled']
  const isShared = sharesPort && hasHttp && !given.has('rpc-ws-port')
  return {
    maxConnections: options['rpc-ws-max-active-connections'],
    maxFrameBytes: options['rpc-ws-max-frame-size'],
    separate:
      isShared || !hasWebSocketPort(options, given)
        ? undefined
        : { host: options['rpc-ws-host'], port: options['rpc-ws-port'] },
    isPortOptional: hasHttp && isWebSocketPortOptional(given),
  }
}

function metricsPushSettings(options: NodeOptions): MetricsPushSettings {
  return {
    host: options['metrics-push-host'],
    port: options['metrics-push-port'],
    job: options['metrics-push-prometheus-job'],
    intervalMs: options['metrics-push-interval'] * SECOND_MS,
  }
}

/** How the node finds the address that it advertises. */
export interface NatSettings {
  readonly method: NodeOptions['nat-method']
  readonly host: string
  /** Whether the host differs from the default. */
  readonly isHostGiven: boolean
}

export function natSettings(options: NodeOptions): NatSettings {
  const host = options['p2p-host']
  return { method: options['nat-method'], host, isHostGiven: host !== OPTIONS['p2p-host'].default }
}

/** Private transactions. */
export interface PrivacySettings {
  /** Holds the public key of the node in the enclave. */
  readonly keyFile: string | undefined
  /** Holds the private key that signs privacy marker transactions. */
  readonly markerKeyFile: string | undefined
  readonly hasTenants: boolean
  readonly isFlexible: boolean
  /** undefined: the enclave is another program */
  readonly embedded: EnclaveSettings | undefined
  /** Used without an embedded enclave. */
  readonly remote: RemoteEnclaveSettings
}

/** An enclave that is another program. */
export interface RemoteEnclaveSettings {
  readonly url: string
  /** undefined: the connection has no TLS */
  readonly tls: EnclaveTlsFiles | undefined
}

export interface EnclaveTlsFiles {
  /** PKCS #12 with the client's certificate. */
  readonly keyStore: string | undefined
  readonly passwordFile: string | undefined
  readonly knownEnclavesFile: string | undefined
}

/** An enclave in this process. */
export interface EnclaveSettings {
  /** For other enclaves. */
  readonly host: string
  readonly port: number
  /** The URL that other enclaves use; undefined: that of the server */
  readonly url: string | undefined
  /** Accepted names of the Host header, beside the host of the URL; `*`: any. */
  readonly hosts: readonly string[]
  readonly keyFiles: readonly string[]
  readonly passwordFile: string | undefined
  /** URLs of other enclaves. */
  readonly peers: readonly string[]
  /** Whether enclaves that are not among the peers may connect. */
  readonly isOpen: boolean
  readonly durability: Durability
}

/** @returns undefined without private transactions */
export function privacySettings(options: NodeOptions): PrivacySettings | undefined {
  if (!options['privacy-enabled']) return undefined
  return {
    keyFile: options['privacy-public-key-file'],
    markerKeyFile: options['privacy-marker-transaction-signing-key-file'],
    hasTenants: options['privacy-multi-tenancy-enabled'],
    isFlexible: options['privacy-flexible-groups-enabled'],
    embedded: options['privacy-enclave'] === 'EMBEDDED' ? enclaveSettings(options) : undefined,
    remote: {
      url: options['privacy-url'],
      tls: options['privacy-tls-enabled']
        ? {
            keyStore: options['privacy-tls-keystore-file'],
            passwordFile: options['privacy-tls-keystore-password-file'],
            knownEnclavesFile: options['privacy-tls-known-enclave-file'],
          }
        : undefined,
    },
  }
}

export function enclaveSettings(options: NodeOptions): EnclaveSettings {
  return {
    host: options['privacy-enclave-host'],
    port: options['privacy-enclave-port'],
    url: options['privacy-enclave-url'],
    hosts: [...options['host-allowlist'], options['privacy-enclave-host']],
    keyFiles: options['privacy-enclave-key-files'],
    passwordFile: options['privacy-enclave-password-file'],
    peers: options['privacy-enclave-peers'],
    isOpen: options['privacy-enclave-discovery-enabled'],
    durability: options['data-durability'],
  }
}

/** Publishing to a mirror. */
export interface PublishingSettings {
  readonly url: string
  /** undefined: `mirror.key` in the data directory */
  readonly keyFile: string | undefined
  readonly intervalMs: number
  readonly graceMs: number
  /** Newest blocks that the mirror keeps whole; undefined: all */
  readonly historyBlocks: number | undefined
}

/** @returns undefined: nothing is published */
export function publishingSettings(options: NodeOptions): PublishingSettings | undefined {
  const url = options['mirror-to']
  if (url === undefined) return undefined
  return {
    url,
    keyFile: options['mirror-key-file'],
    intervalMs: options['mirror-interval'],
    graceMs: options['mirror-grace'] * SECOND_MS,
    historyBlocks: historyBlocks(options),
  }
}

/** Reading a mirror. */
export interface ReplicaSettings extends ReplicaOptions {
  readonly url: string
  /** Node that takes transactions; undefined: none */
  readonly upstream: string | undefined
  /** Whether the seals of the chain are verified. */
  readonly verifiesSeals: boolean
  /** Hash of the block from which they are, 32 bytes; undefined: the genesis block */
  readonly checkpoint: Uint8Array | undefined
}

/** @returns undefined: the node is no replica */
export function replicaSettings(options: NodeOptions): ReplicaSettings | undefined {
  const { 'mirror-from': url, 'mirror-publisher': publisher, 'mirror-checkpoint': checkpoint } = options
  if (url === undefined || publisher === undefined) return undefined
  return {
    url,
    publisher: publisher === ANY_PUBLISHER ? undefined : hexToBytes(publisher),
    cacheBytes: options['mirror-cache'] * CACHE_PART,
    pollMs: options['mirror-poll'],
    maxLagMs: options['mirror-max-lag'] * SECOND_MS,
    whenStale: options['mirror-when-stale'],
    upstream: options['mirror-upstream'],
    verifiesSeals: options['mirror-verify'] === 'seals',
    checkpoint: checkpoint === undefined ? undefined : hexToBytes(checkpoint),
  }
}

/** Files and modules of a node. */
export interface FileSettings {
  readonly isInMemory: boolean
  /** undefined: a folder of the chain in `.isonode` */
  readonly dataPath: string | undefined
  readonly durability: Durability
  /** undefined: a key of the data directory, or a random one */
  readonly nodeKeyFile: string | undefined
  /** undefined: `static-nodes.json` in the data directory */
  readonly staticNodesFile: string | undefined
  /** undefined: the trusted setup of Ethereum */
  readonly trustedSetupFile: string | undefined
  /** Modules of the operator. */
  readonly plugins: readonly string[]
  /** Whether the options ask for calls or names of contracts in the log. */
  readonly wantsCallLog: boolean
}

export function fileSettings(options: NodeOptions): FileSettings {
  return {
    isInMemory: isInMemory(options),
    dataPath: options['data-path'],
    durability: options['data-durability'],
    nodeKeyFile: options['node-private-key-file'],
    staticNodesFile: options['static-nodes-file'],
    trustedSetupFile: options['kzg-trusted-setup'],
    plugins: options.plugins,
    wantsCallLog: options.verbose || options.abi.length > 0,
  }
}
